package transfer

import (
	"context"
	"math"
	"slices"
	"strings"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/rebuild"
)

// play is how much a user played a game on a day.
type play struct {
	played
	tables.DayCount
}

// played names the row of a play.
type played struct{ username, game string }

func parsePlay(r *row) play {
	// A count's sums stay far below what 64 bits hold.
	count := parse(r, "count", func(s string) (int, error) { return tables.ParseNumber(s, 1, math.MaxInt32) })
	return play{played{r.checked("username", tables.CheckUsername), r.checked("game", tables.CheckCode)},
		tables.DayCount{Day: r.checked("day", tables.CheckDay), Count: count}}
}

func (im *importer) importPlays(ctx context.Context) error {
	return pipe(ctx, im, "plays", parsePlay, func(p play) string { return p.username + "\x00" + p.game }, im.writePlays)
}

func (im *importer) writePlays(ctx context.Context, batch []item[play]) error {
	batch, err := known(ctx, im, batch,
		name[play]{"username", &tables.Users.AnyObject, func(p play) string { return p.username }},
		name[play]{"game", &tables.Games.AnyObject, func(p play) string { return p.game }})
	if err != nil {
		return err
	}
	news := map[played][]hbase.Cell{}
	var keys []played
	for _, it := range batch {
		p := it.value
		if news[p.played] == nil {
			keys = append(keys, p.played)
		}
		cell := tables.Plays.Put(p.username, p.game, p.DayCount, timeless).Cells[0]
		news[p.played] = overlay(news[p.played], cell)
	}
	users, games := make([]string, len(keys)), make([]string, len(keys))
	for i, key := range keys {
		users[i], games[i] = key.username, key.game
	}
	if err := im.lists[&tables.UserGames.AnyList].touch(ctx, users); err != nil {
		return err
	}
	if err := im.lists[&tables.Players.AnyList].touch(ctx, games); err != nil {
		return err
	}
	stored, err := im.storedPlays(ctx, keys)
	if err != nil {
		return err
	}
	derived, truth := im.derived(2*len(batch)), newWrites(im.store, len(batch))
	for _, key := range keys {
		if err := im.writePlayed(derived, truth, key, stored[key], news[key]); err != nil {
			return err
		}
	}
	if err := derived.flush(ctx); err != nil {
		return err
	}
	return truth.flush(ctx)
}

// storedPlays returns the rows of these that may be stored.
func (im *importer) storedPlays(ctx context.Context, keys []played) (map[played][]hbase.Cell, error) {
	var sought []played
	var gets []hbase.Get
	for _, key := range keys {
		if !im.newPlays.first(key.username + "\x00" + key.game) {
			sought, gets = append(sought, key), append(gets, tables.Plays.Get(key.username, key.game))
		}
	}
	cells, err := hbase.GetAll(ctx, im.store, gets)
	stored := make(map[played][]hbase.Cell, len(sought))
	for i := range cells {
		stored[sought[i]] = cells[i]
	}
	return stored, err
}

// writePlayed writes the days of one user and game, and the user's entry of the game: their sum, and the last of them.
func (im *importer) writePlayed(derived, truth *writes, key played, stored, news []hbase.Cell) error {
	committed := int64(0) // the timestamp of the commit record, if there is one
	if i := slices.IndexFunc(stored, func(c hbase.Cell) bool { return c.Qualifier == tables.CommitColumn }); i >= 0 {
		committed = stored[i].Timestamp
	}
	merged := slices.Clone(stored)
	for i, cell := range news {
		known := slices.ContainsFunc(stored, func(c hbase.Cell) bool { return c.Qualifier == cell.Qualifier })
		if !known && committed > 0 {
			// All that was played may have been erased, and what is older stays masked.
			news[i].Timestamp = max(cell.Timestamp, committed+1)
		}
		merged = overlay(merged, news[i])
	}
	if slices.EqualFunc(stored, merged, sameCell) {
		return nil
	}
	days, err := tables.Plays.Decode(merged)
	if err != nil {
		return err
	}
	userGames, players := im.lists[&tables.UserGames.AnyList], im.lists[&tables.Players.AnyList]
	userGames.put(derived, key.username, tables.UserGames.Cell(tables.UserGameOf(key.game, days), rebuild.Youngest(merged)))
	players.put(derived, key.game, tables.Players.Cell(key.username, max(timeless, committed+1)))
	put := tables.Plays.Put(key.username, key.game, days[0], timeless)
	put.Cells = news
	truth.put(put)
	return nil
}

// overlay puts a cell over those of a row, in the order of the columns; a younger one stays.
func overlay(cells []hbase.Cell, cell hbase.Cell) []hbase.Cell {
	i, found := slices.BinarySearchFunc(cells, cell.Qualifier, func(c hbase.Cell, qualifier string) int {
		return strings.Compare(c.Qualifier, qualifier)
	})
	if !found {
		return slices.Insert(cells, i, cell)
	}
	if cells[i].Timestamp <= cell.Timestamp {
		cells[i] = cell
	}
	return cells
}

func sameCell(a, b hbase.Cell) bool {
	return a.Qualifier == b.Qualifier && a.Timestamp == b.Timestamp && string(a.Value) == string(b.Value)
}
