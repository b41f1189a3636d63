package transfer

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"twibase/hbase"
	"twibase/hbase/tables"
)

type play struct {
	pair
	tables.DayCount
}

func parsePlay(r *row) play {
	// Sums stay far below 64 bits.
	count := parse(r, "count", func(s string) (int, error) { return tables.ParseNumber(s, 1, math.MaxInt32) })
	key := pair{r.checked("username", tables.CheckUsername), r.checked("game", tables.CheckCode)}
	return play{key, tables.DayCount{Day: r.checked("day", tables.CheckDay), Count: count}}
}

func (im *importer) importPlays(ctx context.Context) error {
	unstored := &newKeys{blank: im.blank}
	return pipe(ctx, im, "plays", parsePlay, play.key,
		func(ctx context.Context, batch []item[play]) error { return im.writePlays(ctx, batch, unstored) })
}

func (im *importer) writePlays(ctx context.Context, batch []item[play], unstored *newKeys) error {
	batch, err := known(ctx, im, batch,
		name[play]{"username", &tables.Users.AnyObject, func(p play) string { return p.a },
			[]*tables.AnyList{&tables.UserGames.AnyList}},
		name[play]{"game", &tables.Games.AnyObject, func(p play) string { return p.b },
			[]*tables.AnyList{&tables.Players.AnyList}})
	if err != nil {
		return err
	}
	read, stored := map[pair][]hbase.Cell{}, map[pair][]hbase.Cell{}
	var keys, mayExist []pair
	for _, it := range batch {
		p := it.value
		if read[p.pair] == nil {
			if keys = append(keys, p.pair); !unstored.first(p.key()) {
				mayExist = append(mayExist, p.pair)
			}
		}
		read[p.pair] = overlay(read[p.pair], tables.Plays.Put(p.a, p.b, p.DayCount, timeless).Cells[0])
	}
	cells, err := hbase.GetEach(ctx, im.store, mayExist, func(p pair) hbase.Get { return tables.Plays.Get(p.a, p.b) })
	if err != nil {
		return err
	}
	for i, p := range mayExist {
		stored[p] = cells[i]
	}
	derived, sources := im.visibleWrites(), im.visibleWrites()
	for _, key := range keys {
		if err := im.writePlayed(derived, sources, key, stored[key], read[key]); err != nil {
			return err
		}
	}
	if err := derived.flush(ctx); err != nil {
		return err
	}
	return sources.flush(ctx)
}

// read has the cells from the files.
func (im *importer) writePlayed(derived, sources *writes, key pair, stored, read []hbase.Cell) error {
	committed := int64(0)
	if c := hbase.FindCell(stored, tables.Plays.Family, tables.CommitColumn); c != nil {
		committed = c.Timestamp
	}
	merged := slices.Clone(stored)
	var changed []hbase.Cell // not cells older than the stored ones, which a visible write would replace
	for _, cell := range read {
		old := hbase.FindCell(stored, cell.Family, cell.Qualifier)
		if committed > 0 && old == nil {
			// The delete marker of erased plays may mask older cells.
			cell.Timestamp = max(cell.Timestamp, committed+1)
		}
		if old == nil || old.Timestamp <= cell.Timestamp && !sameCell(*old, cell) {
			changed = append(changed, cell)
			merged = overlay(merged, cell)
		}
	}
	if len(changed) == 0 {
		return nil
	}
	days, err := tables.Plays.Decode(merged)
	if err != nil {
		return err
	}
	userGames, players := im.lists[&tables.UserGames.AnyList], im.lists[&tables.Players.AnyList]
	userGames.put(derived, key.a, tables.UserGames.Cell(tables.UserGameOf(key.b, days), hbase.LatestTimestamp(merged)))
	players.put(derived, key.b, tables.Players.Cell(key.a, max(timeless, committed+1)))
	if before, err := tables.Plays.Decode(stored); err != nil || len(before) == 0 {
		userGames.count(key.a, false)
		players.count(key.b, false)
	}
	put := tables.Plays.Put(key.a, key.b, days[0], timeless)
	put.Cells = changed
	sources.put(put)
	return nil
}

// overlay adds a cell to sorted cells, and replaces a cell of the same column, unless that has a
// later timestamp.
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

func exportPlays(ctx context.Context, store hbase.Store, row emit) error {
	for r, err := range store.Scan(ctx, hbase.Scan{Table: tables.Plays.Table}) {
		if err != nil {
			return err
		}
		username, game, err := tables.Plays.Ends(r.Key)
		if err != nil {
			return err
		}
		days, err := tables.Plays.Decode(r.Cells)
		if err != nil {
			return err
		}
		for _, day := range days {
			if day.Count == 0 {
				continue // being erased
			}
			if err := row(username, game, day.Day, strconv.Itoa(day.Count)); err != nil {
				return err
			}
		}
	}
	return nil
}
