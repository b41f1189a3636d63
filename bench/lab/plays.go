package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"twibase/hbase"
)

// plays compares the two tables of the game platform's design, and twibase's, on the questions of docs/TABLES.md.
var plays = comparison{
	name:   "plays",
	scale:  "days of all users",
	scales: []int{10_000, 100_000, 1_000_000},
	at: func(scale int) trial {
		p := newPlayed(newPopulation(scale))
		return trial{
			designs: []design{
				{"wide: prodFocus", []hbase.Table{newTable(wideTable, "f")}, p.wideRows()},
				{"tall: prodFocusV2", []hbase.Table{newTable(tallTable, "f")}, p.tallRows()},
				{"twibase", []hbase.Table{twibaseTable("plays"), twibaseTable("user_games"), twibaseTable("games")}, p.twibaseRows()},
			},
			questions: []question{
				{name: "has X played Y?", axis: "days of X", sizes: userDays, instances: len(p.users[1]),
					truth: p.hasPlayed, asks: []ask{p.wideHasPlayed, p.tallHasPlayed, p.twibaseHasPlayed}},
				{name: "which games has X played?", axis: "days of X", sizes: userDays, instances: len(p.users[1]),
					truth: p.gamesOf, asks: []ask{p.wideGamesOf, p.tallGamesOf, p.twibaseGamesOf}},
				{name: "who plays Y? (the first 20)", instances: len(askedGames),
					truth: p.playersOf, asks: []ask{p.widePlayersOf, p.tallPlayersOf, p.twibasePlayersOf}},
				{name: "how much is Y played, by day of a month?", instances: len(askedGames),
					truth: p.monthOf, asks: []ask{p.wideMonthOf, p.tallMonthOf, p.twibaseMonthOf}},
			},
		}
	},
}

const wideTable, tallTable = "lab_prod_focus", "lab_prod_focus_v2"

// askedGames are from much to little played.
var askedGames = []string{gameName(3), gameName(30), gameName(150), gameName(400)}

// The month that is asked about.
var monthStart, monthEnd = dayName(600), dayName(629)

// asked is whom a question is about.
type asked struct {
	user   string
	games  []string // that he played
	game   string   // X's Y, which he played or not
	played bool
}

// played is the truth about a population, as far as it is asked for.
type played struct {
	population []player
	users      map[int][]asked           // by their days
	players    map[string][]string       // by game, ascending
	days       map[string]map[string]int // by game and day
}

// newPlayed asks about up to eight users of each kind: about a game that they played, and about one that they did not.
func newPlayed(population []player) *played {
	p := &played{population, map[int][]asked{}, map[string][]string{}, map[string]map[string]int{}}
	for _, user := range population {
		games := user.games()
		for _, game := range games {
			p.players[game] = append(p.players[game], user.name())
		}
		for play := range user.plays() {
			if p.days[play.game] == nil {
				p.days[play.game] = map[string]int{}
			}
			p.days[play.game][play.day] += play.count
		}
		if n := len(p.users[user.days]) / 2; n < 8 && user.number%5 == 0 || n == 0 {
			a := asked{user: user.name(), games: slices.Sorted(slices.Values(games)), played: true}
			a.game = games[(len(games)/2+n*3)%len(games)]
			p.users[user.days] = append(p.users[user.days], a)
			for i := 0; slices.Contains(games, a.game); i++ {
				a.game, a.played = gameName(i), false
			}
			p.users[user.days] = append(p.users[user.days], a)
		}
	}
	return p
}

func (p *played) user(days, instance int) asked {
	users := p.users[days]
	return users[instance%len(users)]
}

func (p *played) hasPlayed(days, instance int) []string {
	return answered(p.user(days, instance).played)
}

func (p *played) gamesOf(days, instance int) []string { return p.user(days, instance).games }

func (p *played) playersOf(_, instance int) []string {
	return firstNames(p.players[askedGames[instance]])
}

func (p *played) monthOf(_, instance int) []string {
	month := map[string]int{}
	for day, count := range p.days[askedGames[instance]] {
		if day >= monthStart && day <= monthEnd {
			month[day] = count
		}
	}
	return inMonth(month)
}

func firstNames(names []string) []string { return names[:min(len(names), pageSize)] }

// inMonth is an answer of counts by day.
func inMonth(counts map[string]int) (lines []string) {
	for _, day := range slices.Sorted(maps.Keys(counts)) {
		lines = append(lines, fmt.Sprint(day, " ", counts[day]))
	}
	return lines
}

// addDays adds what cells with a column per day say.
func addDays(counts map[string]int, cells []hbase.Cell) error {
	for _, c := range cells {
		n, err := strconv.Atoi(string(c.Value))
		if err != nil {
			return err
		}
		counts[c.Qualifier] += n
	}
	return nil
}
