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

// WriteDetector detects writes to shared results of Get and to their memos, by comparing the last
// results with copies. It is safe for concurrent use.
type WriteDetector struct {
	hbase.Store
	mu   sync.Mutex
	next int
	kept [1024]kept
	err  error // the first
}

type kept struct {
	get          hbase.Get
	answer, copy []hbase.Cell
	made         []string // memos, or empty
}

func NewWriteDetector(store hbase.Store) *WriteDetector { return &WriteDetector{Store: store} }

func (u *WriteDetector) Get(ctx context.Context, gets []hbase.Get) ([]hbase.Result, error) {
	results, err := u.Store.Get(ctx, gets)
	u.mu.Lock()
	defer u.mu.Unlock()
	for i := range results {
		u.check(u.next)
		u.kept[u.next] = kept{gets[i], results[i].Cells, copied(results[i].Cells), made(results[i].Cells)}
		u.next = (u.next + 1) % len(u.kept)
	}
	return results, err
}

// Err returns the first write found. No other goroutine may write to cells during the call.
func (u *WriteDetector) Err() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	for i := range u.kept {
		u.check(i)
	}
	return u.err
}

func (u *WriteDetector) check(i int) {
	k := u.kept[i]
	if u.err == nil && !reflect.DeepEqual(k.answer, k.copy) {
		u.err = fmt.Errorf("cells of a result were written to: %+v: got %v, want %v", k.get, k.answer, k.copy)
	}
	for j, now := range made(k.answer) {
		if was := k.made[j]; u.err == nil && was != "" && was != now {
			u.err = fmt.Errorf("the value of a memo was written to: %+v: got %s, want %s", k.get, now, was)
		}
	}
}

func made(cells []hbase.Cell) []string {
	all := make([]string, len(cells))
	for i, c := range cells {
		if c.Memo == nil || c.Memo.Made() == nil {
			continue
		}
		text, err := json.Marshal(c.Memo.Made())
		if err != nil {
			panic(err) // a value without JSON
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
