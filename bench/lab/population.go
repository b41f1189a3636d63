package main

import (
	"fmt"
	"hash/fnv"
	"iter"
	"slices"
	"time"
)

// How people play, in all plays of the lab.
const (
	gameCount  = 500
	favourites = 10   // how many games a user plays, one after the other
	span       = 1200 // days
)

// userDays are on how many days users play. Users of each kind have the same share of all days.
var userDays = []int{1, 10, 100, 300, 1000}

// player plays two of his games on each of his days, and moves on to the next game when its time is over.
type player struct {
	number, days int
}

// play is how often somebody played something on a day.
type play struct {
	game, day string
	count     int
}

// newPopulation is of players who play on so many days in all, those of few days first.
func newPopulation(days int) (all []player) {
	for _, each := range userDays {
		for range max(days/len(userDays)/each, 1) {
			all = append(all, player{len(all), each})
		}
	}
	return all
}

func (p player) name() string { return fmt.Sprintf("u%07d", p.number) }

// games are a player's games in the order in which he comes to them. The first ones of all games are the most popular.
func (p player) games() []string {
	var numbers []int
	for i := range favourites {
		hash := fnv.New64a()
		fmt.Fprint(hash, p.number, " ", i)
		x := float64(hash.Sum64()>>20%1e6) / 1e6
		number := int(gameCount * x * x)
		for slices.Contains(numbers, number) {
			number = (number + 1) % gameCount
		}
		numbers = append(numbers, number)
	}
	names := make([]string, favourites)
	for i, number := range numbers {
		names[i] = gameName(number)
	}
	return names[:p.played()]
}

// played is how many games a player came to.
func (p player) played() int { return min(p.days+1, favourites) }

func gameName(number int) string { return fmt.Sprintf("g%03d", number) }

func dayName(day int) string {
	return time.Date(2012, 1, 1+day, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
}

// plays are all that a player played, by day.
func (p player) plays() iter.Seq[play] {
	return func(yield func(play) bool) {
		games := p.games()
		first := p.number * 7919 % (span - p.days)
		for k := range p.days {
			day := dayName(first + k)
			now := k * len(games) / p.days
			for _, game := range []string{games[now], games[(now+1)%len(games)]} {
				if !yield(play{game, day, 1 + (p.number+k)%5}) {
					return
				}
			}
		}
	}
}
