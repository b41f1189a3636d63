package writers

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"twibase/hbase"
	"twibase/hbase/hbasetest"
	"twibase/hbase/tables"
)

// Until the precondition is known, after two rounds, the operation reads only once.
func TestOperationCommitsOnlyIfPreconditionHolds(t *testing.T) {
	rejected := errors.New("rejected")
	for _, test := range []struct {
		name   string
		answer error
		rounds int
	}{{"allowed", nil, 17}, {"rejected", rejected, 2}} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := openStore(t)
				defer store.Close()
				chain(t, 41)(store)
				var mu sync.Mutex
				var calls []string
				began := time.Now()
				w := New(hbasetest.NewFaults(store, func(op hbasetest.Op) hbasetest.Fault {
					mu.Lock()
					defer mu.Unlock()
					if time.Since(began) < 2*time.Millisecond {
						calls = append(calls, op.Kind+" "+op.Table)
					}
					return hbasetest.Fault{Delay: time.Millisecond}
				}), Options{})
				err := move("d31", "d5")(WithPrecondition(t.Context(), func() error {
					time.Sleep(time.Until(began.Add(2 * time.Millisecond)))
					return test.answer
				}), w)
				if rounds := int(time.Since(began) / time.Millisecond); !errors.Is(err, test.answer) || rounds != test.rounds {
					t.Errorf("got error %v after %d rounds, want %d", err, rounds, test.rounds)
				}
				w.Close(t.Context())
				if slices.Sort(calls); !slices.Equal(calls, []string{"Get departments", "Get departments", "Get departments"}) {
					t.Errorf("calls before the precondition is known: %q", calls)
				}
				cells, err := cellsOf(t.Context(), store, departmentOf("d31"))
				if err != nil {
					t.Fatal(err)
				}
				d, err := tables.Departments.Decode("d31", cells)
				if err != nil || *d.ParentCode == "d5" != (test.answer == nil) {
					t.Errorf("got parent %s, error %v", *d.ParentCode, err)
				}
			})
		})
	}
}

func TestInvalidDeclarationsPanic(t *testing.T) {
	for name, declare := range map[string]func(){
		"a delayed operation with a commit row": func() {
			register(opType[struct{}]{name: "delayed", row: func(struct{}) hbase.Get { return hbase.Get{} },
				properties: properties{delay: grace}})
		},
		"a strict relation without a reusable key": func() {
			x := *tables.Follows
			x.Strict = true
			unrelate(&x)
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			declare()
		}()
	}
}
