package main

import (
	"fmt"
	"hash/fnv"
	"iter"
	"slices"
	"time"
)

const (
	gameCount  = 500
	favourites = 10
	totalDays  = 1200
)

// userDays has numbers of days per user. The users of each number have an equal share of all days.
var userDays = []int{1, 10, 100, 300, 1000}

// player plays two of its games a day, in turn.
type player struct {
	number, days int
}

type play struct {
	game, day string
	count     int
}

func newPopulation(days int) (all []player) {
	for _, each := range userDays {
		for range max(days/len(userDays)/each, 1) {
			all = append(all, player{len(all), each})
		}
	}
	return all
}

func (p player) name() string { return fmt.Sprintf("u%07d", p.number) }

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

func (p player) played() int { return min(p.days+1, favourites) }

func gameName(number int) string { return fmt.Sprintf("g%03d", number) }

func dayName(day int) string {
	return time.Date(2012, 1, 1+day, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
}

func (p player) plays() iter.Seq[play] {
	return func(yield func(play) bool) {
		games := p.games()
		first := p.number * 7919 % (totalDays - p.days)
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
