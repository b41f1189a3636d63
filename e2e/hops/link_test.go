package hops

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// link is what one gateway reads the store through. It breaks, for all rows or for one, and what is asked together it may read in any order and with
// pauses, as region servers do.
type link struct {
	hbase.Store
	first chan string // which row of a look was read first

	mu     sync.Mutex
	random *rand.Rand
	torn   float64              // how often that is so
	down   time.Time            // until when nothing is read
	lost   map[string]time.Time // until when a row is not
}

var errLost = fmt.Errorf("the model has it so: %w", hbase.ErrUnavailable)

// breaks lets nothing be read for a while, or not that row.
func (l *link) breaks(row string, while time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if row == "" {
		l.down = time.Now().Add(while)
	} else {
		l.lost[row] = time.Now().Add(while)
	}
}

// tears lets a share of what is asked together be read one row after the other.
func (l *link) tears(share float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.torn = share
}

func (l *link) heals() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.down, l.torn = time.Time{}, 0
	clear(l.lost)
}

// order is in which order the rows of a look are read, and how long is waited after each; nil if all are read at once.
func (l *link) order(gets []hbase.Get) (order []int, pause time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(gets) < 3 || gets[len(gets)-1].Row != tables.Broadcasters.Get().Row || l.random.Float64() >= l.torn {
		return nil, 0
	}
	return l.random.Perm(len(gets)), oneOf(l.random, 300*time.Millisecond, 1500*time.Millisecond)
}

func (l *link) lacks(row string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Now().Before(l.lost[row])
}

func (l *link) isDown() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Now().Before(l.down)
}

// reads returns when a look that reads one row after the other has read one, that one if it is named, and the rest will follow.
func (l *link) reads(row string) {
	for deadline := time.After(time.Minute); ; {
		select {
		case read := <-l.first:
			if row == "" || row == read {
				return
			}
		case <-deadline:
			return
		}
	}
}

// Get implements [hbase.Store].
func (l *link) Get(ctx context.Context, gets []hbase.Get) (results []hbase.Result, err error) {
	if l.isDown() {
		return nil, errLost
	}
	order, pause := l.order(gets)
	if order == nil {
		if results, err = l.Store.Get(ctx, gets); err != nil {
			return nil, err
		}
	} else {
		results = make([]hbase.Result, len(gets))
	}
	for n, i := range order {
		one, err := l.Store.Get(ctx, gets[i:i+1])
		if err != nil {
			return nil, err
		}
		results[i] = one[0]
		if n == 0 {
			select {
			case l.first <- gets[i].Row:
			default:
			}
		}
		time.Sleep(pause)
	}
	for i, get := range gets {
		if l.lacks(get.Row) {
			results[i] = hbase.Result{Err: errLost}
		}
	}
	return results, nil
}

func oneOf[T any](random *rand.Rand, choices ...T) T { return choices[random.IntN(len(choices))] }
