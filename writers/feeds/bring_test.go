package feeds_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/writers/feeds"
)

// patient is a store whose writes into timelines, but the last, end when the next batch was noted.
type patient struct {
	hbase.Store
	noted   chan struct{}
	written int
}

func (p *patient) CheckAndPut(ctx context.Context, check hbase.Check, put hbase.Put) (bool, error) {
	done, err := p.Store.CheckAndPut(ctx, check, put)
	p.noted <- struct{}{}
	return done, err
}

func (p *patient) Mutate(ctx context.Context, mutations []hbase.Mutation) ([]error, error) {
	if table, _ := mutations[0].At(); table == tables.Timelines.Table {
		if p.written++; p.written == 1 {
			<-p.noted
		}
		if p.written < cap(p.noted)-1 {
			select {
			case <-p.noted:
			case <-time.After(10 * time.Second):
				return nil, errors.New("nothing is noted while something is written")
			}
		}
	}
	return p.Store.Mutate(ctx, mutations)
}

func TestTheNextBatchIsNotedWhileOneIsWritten(t *testing.T) {
	w := newWorld(t)
	names := numbered("f", 5)
	w.follows(names...)
	w.posts("x")
	p := &patient{Store: w.Store, noted: make(chan struct{}, len(names)+1)} // the last note is that nothing is
	w.Store = p
	f := w.gateway(feeds.Options{BatchSize: 1})
	w.sweep(f)
	for _, name := range names {
		w.has(name, "x")
	}
}
