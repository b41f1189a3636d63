package reconnect

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// faultyStore may read the rows of a poll one by one, in random order and with pauses, as from
// different region servers.
type faultyStore struct {
	hbase.Store
	firstRead chan string // receives the first row of each poll that is read row by row

	mu            sync.Mutex
	random        *rand.Rand
	rowByRow      float64 // probability that a poll is read row by row
	failUntil     time.Time
	rowsFailUntil map[string]time.Time
}

var errFault = fmt.Errorf("injected fault: %w", hbase.ErrUnavailable)

func (s *faultyStore) fail(row string, duration time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if row == "" {
		s.failUntil = time.Now().Add(duration)
	} else {
		s.rowsFailUntil[row] = time.Now().Add(duration)
	}
}

func (s *faultyStore) readRowByRow(probability float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rowByRow = probability
}

func (s *faultyStore) heal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failUntil, s.rowByRow = time.Time{}, 0
	clear(s.rowsFailUntil)
}

// A nil order reads all rows together.
func (s *faultyStore) order(gets []hbase.Get) (order []int, pause time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	poll := len(gets) >= 3 && gets[len(gets)-1].Row == tables.Broadcasters.Get().Row
	if !poll || s.random.Float64() >= s.rowByRow {
		return nil, 0
	}
	return s.random.Perm(len(gets)), oneOf(s.random, 300*time.Millisecond, 1500*time.Millisecond)
}

func (s *faultyStore) rowFails(row string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Now().Before(s.rowsFailUntil[row])
}

func (s *faultyStore) fails() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Now().Before(s.failUntil)
}

func (s *faultyStore) awaitFirstRead(row string) {
	for deadline := time.After(time.Minute); ; {
		select {
		case read := <-s.firstRead:
			if row == "" || row == read {
				return
			}
		case <-deadline:
			return
		}
	}
}

func (s *faultyStore) Get(ctx context.Context, gets []hbase.Get) (results []hbase.Result, err error) {
	if s.fails() {
		return nil, errFault
	}
	order, pause := s.order(gets)
	if order == nil {
		if results, err = s.Store.Get(ctx, gets); err != nil {
			return nil, err
		}
	} else {
		results = make([]hbase.Result, len(gets))
	}
	for n, i := range order {
		one, err := s.Store.Get(ctx, gets[i:i+1])
		if err != nil {
			return nil, err
		}
		results[i] = one[0]
		if n == 0 {
			select {
			case s.firstRead <- gets[i].Row:
			default:
			}
		}
		time.Sleep(pause)
	}
	for i, get := range gets {
		if s.rowFails(get.Row) {
			results[i] = hbase.Result{Err: errFault}
		}
	}
	return results, nil
}

func oneOf[T any](random *rand.Rand, choices ...T) T { return choices[random.IntN(len(choices))] }
