package tables

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"twibase/hbase"
)

// Game is what people play. Fields other than the code are nil if they were not read or are absent; absent counts are
// zero.
type Game struct {
	Code        string
	Name        *string
	Version     *string
	PlayerCount *int
}

// ID names the game.
func (g *Game) ID() ID { return ID{NounGame, g.Code} }

// Games are the games, by code.
var Games = &Object[Game]{
	AnyObject: AnyObject{Noun: NounGame, Name: "game", Table: "games", Reusable: true, check: CheckCode},

	key: func(g *Game) *string { return &g.Code }, keyColumn: "id",
	attributes: []attribute[Game]{
		text("name", func(g *Game) **string { return &g.Name }).in("name", ParseLine).writable(OfLine),
		version(func(g *Game) **string { return &g.Version }),
		count("playerCount", func(g *Game) **int { return &g.PlayerCount }),
	},
}

// Players are the usernames of those who play the game, ascending.
var Players = nameList(AnyList{Table: "games", Family: "p", Owner: &Games.AnyObject, Count: "playerCount", Cursor: 'y'}, CheckUsername)

// UserGame is a member of the list of a user's games: how much was played, and when last.
type UserGame struct {
	Code  string
	Count int
	Day   string // as in "2014-12-25"
}

// UserGameOf returns the member that follows from the days on which a user played a game.
func UserGameOf(code string, days []DayCount) UserGame {
	g := UserGame{Code: code}
	for _, day := range days {
		g.Count, g.Day = g.Count+day.Count, max(g.Day, day.Day)
	}
	return g
}

// UserGames are the games that the user plays, by code. The sums follow from [Plays].
var UserGames = newList(List[UserGame]{
	AnyList: AnyList{Table: "user_games", Family: "l", Owner: &Users.AnyObject, Count: "gameCount", Cursor: 'p', position: CheckCode},
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

// DayCount is how much was played on a day.
type DayCount struct {
	Day   string
	Count int
}

// Plays is the truth about who played what: a row per user and game with a column per day.
var Plays = plays{Table: "plays", family: "d"}

type plays struct{ Table, family string }

// Get reads all days on which the user played the game.
func (p plays) Get(username, game string) hbase.Get {
	return hbase.Get{Table: p.Table, Row: edgeKey(username, game), Columns: p.family}
}

// Any reads whether the user ever played the game.
func (p plays) Any(username, game string) hbase.Get {
	get := p.Get(username, game)
	get.Page = hbase.Page{Stop: daysEnd, Limit: 1}
	return get
}

// daysEnd is behind every day, and before [CommitColumn].
const daysEnd = ":"

// playKey begins the columns that tell what was played under an idempotency key. Its hash follows.
const playKey = "k"

// GetWithKey reads all days, and, unless the key is nil, what the user played under it.
func (p plays) GetWithKey(username, game string, key *string) hbase.Get {
	get := p.Get(username, game)
	if key != nil {
		get.Columns += " " + Attributes + ":" + playKey + keyWord(*key)
	}
	return get
}

// KeyCell says that the user played on a day, under a key.
func (p plays) KeyCell(key, day string, timestamp int64) hbase.Cell {
	return textCell(playKey+keyWord(key), day, timestamp)
}

// DecodeKey returns the day that the user played on, empty if the cells of GetWithKey tell of none.
func (p plays) DecodeKey(cells []hbase.Cell) (day string, err error) {
	for _, c := range cells {
		if c.Family == Attributes {
			return string(c.Value), corrupt(CheckDay(string(c.Value)), c.Qualifier)
		}
	}
	return "", nil
}

// Delete takes days away, as they are up to a timestamp.
func (p plays) Delete(username, game string, days []DayCount, timestamp int64) hbase.Delete {
	gone := hbase.Delete{Table: p.Table, Row: edgeKey(username, game)}
	for _, day := range days {
		gone.Columns = append(gone.Columns, hbase.Deletion{Kind: hbase.AllVersions, Family: p.family, Qualifier: day.Day, Timestamp: timestamp})
	}
	return gone
}

// Ends reads the key of a row back.
func (p plays) Ends(row string) (username, game string, err error) {
	return edgeOf(row, CheckUsername, CheckCode)
}

// Put writes how much the user played the game on a day.
func (p plays) Put(username, game string, day DayCount, timestamp int64) hbase.Put {
	return hbase.Put{Table: p.Table, Row: edgeKey(username, game), Cells: []hbase.Cell{dayCell(p.family, day, timestamp)}}
}

// Decode returns the days among the cells, ascending.
func (p plays) Decode(cells []hbase.Cell) ([]DayCount, error) { return decodeDays(p.family, cells) }

// GameDays are the sums over all players of a game, a column per day, in the game's row; one of 0 is like none. They follow from [Plays].
var GameDays = gameDays{Table: "games", family: "d"}

type gameDays struct{ Table, family string }

// Get reads the days from one to another, both included.
func (d gameDays) Get(game, from, to string) hbase.Get {
	return hbase.Get{Table: d.Table, Row: RowKey(game), Columns: d.family, Page: hbase.Page{Start: from, Stop: hbase.Next(to)}}
}

// Cell returns the column of a day.
func (d gameDays) Cell(day DayCount, timestamp int64) hbase.Cell {
	return dayCell(d.family, day, timestamp)
}

// Decode returns the days among the cells on which anybody played, ascending.
func (d gameDays) Decode(cells []hbase.Cell) ([]DayCount, error) {
	days, err := decodeDays(d.family, cells)
	return slices.DeleteFunc(days, func(d DayCount) bool { return d.Count == 0 }), err
}

// Column names that of a day, as in [hbase.Get].
func (d gameDays) Column(day string) string { return d.family + ":" + day }

func dayCell(family string, day DayCount, timestamp int64) hbase.Cell {
	return hbase.Cell{Family: family, Qualifier: day.Day, Timestamp: timestamp, Value: strconv.AppendInt(nil, int64(day.Count), 10)}
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

// DecodeCount returns the count that the only one of the cells holds, 0 if there is none.
func DecodeCount(cells []hbase.Cell) (int, error) {
	if len(cells) == 0 {
		return 0, nil
	}
	n, err := parseCount(string(cells[0].Value))
	return n, corrupt(err, cells[0].Qualifier)
}

func parseCount(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || strconv.Itoa(n) != s {
		return 0, fmt.Errorf("%w: %q is no count", ErrName, s)
	}
	return n, nil
}

// CheckDay reports why s can't be a day: a date of the years 1970 to 9999, as in "2014-12-25".
func CheckDay(s string) error {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil || !ValidTime(t) {
		return fmt.Errorf("%w: %q is no day of the form 2014-12-25, from 1970 on", ErrName, s)
	}
	return nil
}
