package hbasetest

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"twibase/hbase"
)

// Unwritten is a store that keeps copies of its last answers to Gets, to tell whether anybody wrote to the cells of one, or to what their memos had: they may be others',
// too. It is safe for concurrent use.
type Unwritten struct {
	hbase.Store
	mu   sync.Mutex
	next int
	kept [1024]kept
	err  error // the first that was found
}

type kept struct {
	get          hbase.Get
	answer, copy []hbase.Cell
	made         []string // what the memos had, empty for nothing
}

// NewUnwritten returns one over store.
func NewUnwritten(store hbase.Store) *Unwritten { return &Unwritten{Store: store} }

// Get implements [hbase.Store].
func (u *Unwritten) Get(ctx context.Context, gets []hbase.Get) ([]hbase.Result, error) {
	results, err := u.Store.Get(ctx, gets)
	u.mu.Lock()
	defer u.mu.Unlock()
	for i := range results {
		u.look(u.next)
		u.kept[u.next] = kept{gets[i], results[i].Cells, copied(results[i].Cells), made(results[i].Cells)}
		u.next = (u.next + 1) % len(u.kept)
	}
	return results, err
}

// Err returns an error if a cell was written to. Nobody may do so meanwhile.
func (u *Unwritten) Err() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	for i := range u.kept {
		u.look(i)
	}
	return u.err
}

func (u *Unwritten) look(i int) {
	k := u.kept[i]
	if u.err == nil && !reflect.DeepEqual(k.answer, k.copy) {
		u.err = fmt.Errorf("somebody wrote to the cells that were answered to %+v: they were %v, and are %v", k.get, k.copy, k.answer)
	}
	for j, now := range made(k.answer) {
		if was := k.made[j]; u.err == nil && was != "" && was != now {
			u.err = fmt.Errorf("somebody wrote to what was made of a cell that was answered to %+v: it was %s, and is %s", k.get, was, now)
		}
	}
}

// made tells what the cells' memos have.
func made(cells []hbase.Cell) []string {
	all := make([]string, len(cells))
	for i, c := range cells {
		if c.Memo == nil || c.Memo.Made() == nil {
			continue
		}
		text, err := json.Marshal(c.Memo.Made())
		if err != nil {
			panic(err) // of a kind that can't be written down
		}
		all[i] = string(text)
	}
	return all
}

func copied(cells []hbase.Cell) []hbase.Cell {
	cells = slices.Clone(cells)
	for i, c := range cells {
		cells[i].Value = slices.Clone(c.Value)
	}
	return cells
}
