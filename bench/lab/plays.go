package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"twibase/hbase"
)

var plays = comparison{
	name:   "plays",
	scale:  "days of all users",
	scales: []int{10_000, 100_000, 1_000_000},
	at: func(scale int) trial {
		p := newPlayData(newPopulation(scale))
		return trial{
			designs: []design{
				{"wide: prodFocus", []hbase.Table{newTable(wideTable, "f")}, p.wideRows()},
				{"tall: prodFocusV2", []hbase.Table{newTable(tallTable, "f")}, p.tallRows()},
				{"twibase", []hbase.Table{twibaseTable("plays"), twibaseTable("user_games"), twibaseTable("games")},
					p.twibaseRows()},
			},
			queries: []query{
				{name: "has X played Y?", axis: "days of X", sizes: userDays, instances: len(p.users[1]),
					want: p.hasPlayed, run: []queryFunc{p.wideHasPlayed, p.tallHasPlayed, p.twibaseHasPlayed}},
				{name: "which games has X played?", axis: "days of X", sizes: userDays, instances: len(p.users[1]),
					want: p.gamesOf, run: []queryFunc{p.wideGamesOf, p.tallGamesOf, p.twibaseGamesOf}},
				{name: "who plays Y? (the first 20)", instances: len(queriedGames),
					want: p.playersOf, run: []queryFunc{p.widePlayersOf, p.tallPlayersOf, p.twibasePlayersOf}},
				{name: "how much is Y played, by day of a month?", instances: len(queriedGames),
					want: p.monthOf, run: []queryFunc{p.wideMonthOf, p.tallMonthOf, p.twibaseMonthOf}},
			},
		}
	},
}

const wideTable, tallTable = "lab_prod_focus", "lab_prod_focus_v2"

var queriedGames = []string{gameName(3), gameName(30), gameName(150), gameName(400)}

var monthStart, monthEnd = dayName(600), dayName(629)

type subject struct {
	user   string
	games  []string
	game   string // Y
	played bool
}

type playData struct {
	population []player
	users      map[int][]subject
	players    map[string][]string
	days       map[string]map[string]int
}

// newPlayData chooses up to eight users per number of days, each with a played and an unplayed
// game.
func newPlayData(population []player) *playData {
	p := &playData{population, map[int][]subject{}, map[string][]string{}, map[string]map[string]int{}}
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
			a := subject{user: user.name(), games: slices.Sorted(slices.Values(games)), played: true}
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

func (p *playData) user(days, instance int) subject {
	users := p.users[days]
	return users[instance%len(users)]
}

func (p *playData) hasPlayed(days, instance int) []string {
	return yesOrNothing(p.user(days, instance).played)
}

func (p *playData) gamesOf(days, instance int) []string { return p.user(days, instance).games }

func (p *playData) playersOf(_, instance int) []string {
	return firstNames(p.players[queriedGames[instance]])
}

func (p *playData) monthOf(_, instance int) []string {
	month := map[string]int{}
	for day, count := range p.days[queriedGames[instance]] {
		if day >= monthStart && day <= monthEnd {
			month[day] = count
		}
	}
	return dayLines(month)
}

func firstNames(names []string) []string { return names[:min(len(names), pageSize)] }

func dayLines(counts map[string]int) (lines []string) {
	for _, day := range slices.Sorted(maps.Keys(counts)) {
		lines = append(lines, fmt.Sprint(day, " ", counts[day]))
	}
	return lines
}

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
