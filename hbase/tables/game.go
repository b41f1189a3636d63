package tables

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"twibase/hbase"
)

// Game is a game.
type Game struct {
	Code        string
	Name        *string
	Version     *string
	PlayerCount *int
}

func (g *Game) ID() ID { return ID{NounGame, g.Code} }

// Games are the games, by code.
var Games = &Object[Game]{
	AnyObject: AnyObject{Noun: NounGame, Name: "game", Table: "games", Reusable: true, CheckKey: CheckCode},

	key: func(g *Game) *string { return &g.Code }, keyColumn: "id",
	attributes: []attribute[Game]{
		text("name", func(g *Game) **string { return &g.Name }).inFile("name", ParseLine).writable(OfLine),
		version(func(g *Game) **string { return &g.Version }),
		count("playerCount", func(g *Game) **int { return &g.PlayerCount }),
	},
}

// Players are a game's players, ascending.
var Players = nameList(
	AnyList{Table: "games", Family: "p", Owner: &Games.AnyObject, Count: "playerCount", Cursor: 'y'}, CheckUsername)

// UserGame sums a user's plays of a game.
type UserGame struct {
	Code  string
	Count int
	Day   string // last day, as in "2014-12-25"
}

// UserGameOf sums the days of a game.
func UserGameOf(code string, days []DayCount) UserGame {
	g := UserGame{Code: code}
	for _, day := range days {
		g.Count, g.Day = g.Count+day.Count, max(g.Day, day.Day)
	}
	return g
}

// UserGames are a user's games, by code.
var UserGames = newList(List[UserGame]{
	AnyList: AnyList{Table: "user_games", Family: "l", Owner: &Users.AnyObject, Count: "gameCount", Cursor: 'p',
		Check: CheckCode},
	decode: func(_ *Memory, _, qualifier string, value []byte) (UserGame, error) {
		count, day, _ := strings.Cut(string(value), " ")
		n, err := parseCount(count)
		if err == nil {
			err = CheckDay(day)
		}
		if err == nil {
			err = CheckCode(qualifier)
		}
		return UserGame{qualifier, n, day}, err
	},
	encode: func(g UserGame) (string, []byte) {
		return g.Code, fmt.Appendf(nil, "%d %s", g.Count, g.Day)
	},
})

// DayCount is the number of plays on a day.
type DayCount struct {
	Day   string // as in "2014-12-25"
	Count int
}

// Plays are the source of [UserGames] and [GameDays]: a row per user and game.
var Plays = plays{Table: "plays", Family: "d"}

type plays struct{ Table, Family string }

func (p plays) Get(username, game string) hbase.Get {
	return hbase.Get{Table: p.Table, Row: edgeKey(username, game), Columns: p.Family}
}

// Any reads whether the user has played the game. Plays count until erasePlays has deleted them.
func (p plays) Any(username, game string) hbase.Get {
	get := p.Get(username, game)
	get.Page = hbase.Page{Stop: daysEnd, Limit: 1}
	return get
}

const (
	daysEnd = ":" // after every day, before [CommitColumn]
	playKey = "k" // ‖ hash of an idempotency key
)

func (p plays) GetWithKey(username, game string, key *string) hbase.Get {
	get := p.Get(username, game)
	if key != nil {
		get.Columns += " " + Attributes + ":" + playKey + hashKey(*key)
	}
	return get
}

func (p plays) KeyCell(key, day string, timestamp int64) hbase.Cell {
	return textCell(playKey+hashKey(key), day, timestamp)
}

// DecodeKey returns the day of GetWithKey's key, or "".
func (p plays) DecodeKey(cells []hbase.Cell) (day string, err error) {
	for _, c := range cells {
		if c.Family == Attributes {
			return string(c.Value), corrupt(CheckDay(string(c.Value)), c.Qualifier)
		}
	}
	return "", nil
}

func (p plays) Delete(username, game string, days []DayCount, timestamp int64) hbase.Delete {
	deletion := hbase.Delete{Table: p.Table, Row: edgeKey(username, game)}
	for _, day := range days {
		deletion.Columns = append(deletion.Columns,
			hbase.Deletion{Kind: hbase.AllVersions, Family: p.Family, Qualifier: day.Day, Timestamp: timestamp})
	}
	return deletion
}

func (p plays) Ends(row string) (username, game string, err error) {
	return edgeOf(row, CheckUsername, CheckCode)
}

func (p plays) Put(username, game string, day DayCount, timestamp int64) hbase.Put {
	return hbase.Put{Table: p.Table, Row: edgeKey(username, game), Cells: []hbase.Cell{
		dayCell(p.Family, day, timestamp)}}
}

// Decode returns the days, ascending, even with zero plays.
func (p plays) Decode(cells []hbase.Cell) ([]DayCount, error) { return decodeDays(p.Family, cells) }

// GameDays are the plays of all players by day, in the game's row.
var GameDays = gameDays{Table: "games", family: "d"}

type gameDays struct{ Table, family string }

// Get reads the days in [from, to].
func (d gameDays) Get(game, from, to string) hbase.Get {
	return hbase.Get{Table: d.Table, Row: RowKey(game), Columns: d.family,
		Page: hbase.Page{Start: from, Stop: hbase.Next(to)}}
}

func (d gameDays) Cell(day DayCount, timestamp int64) hbase.Cell {
	return dayCell(d.family, day, timestamp)
}

func (d gameDays) Decode(cells []hbase.Cell) ([]DayCount, error) {
	days, err := decodeDays(d.family, cells)
	return slices.DeleteFunc(days, func(d DayCount) bool { return d.Count == 0 }), err
}

func (d gameDays) Column(day string) string { return d.family + ":" + day }

func dayCell(family string, day DayCount, timestamp int64) hbase.Cell {
	value := strconv.AppendInt(nil, int64(day.Count), 10)
	return hbase.Cell{Family: family, Qualifier: day.Day, Timestamp: timestamp, Value: value}
}

func decodeDays(family string, cells []hbase.Cell) ([]DayCount, error) {
	var days []DayCount
	for _, c := range cells {
		if c.Family != family || c.Qualifier == CommitColumn {
			continue
		}
		n, err := parseCount(string(c.Value))
		if err == nil {
			err = CheckDay(c.Qualifier)
		}
		if err != nil {
			return nil, corrupt(err, c.Qualifier+" → "+string(c.Value))
		}
		days = append(days, DayCount{c.Qualifier, n})
	}
	return days, nil
}

// CheckDay accepts dates of the years 1970 to 9999, as in "2014-12-25".
func CheckDay(s string) error {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil || !ValidTime(t) {
		return fmt.Errorf("%w: %q is no day of the form 2014-12-25, from 1970 on", ErrName, s)
	}
	return nil
}
