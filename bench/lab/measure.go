package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"twibase/hbase"
)

const (
	// batchTime is how long a repetition takes at least: many times what reading a clock costs.
	batchTime = 20 * time.Millisecond
	// warmUp is how long a question is asked before it is measured: Java compiles what meters often.
	warmUp = 400 * time.Millisecond
	// enough is how long a design is measured, in from few to many repetitions.
	enough    = time.Second
	few, many = 5, 25
)

// cost is that of one answem.
type cost struct {
	time time.Duration
	// own is the CPU time of this process, servers that of the region servers.
	own, servers time.Duration
	rpcs         float64
	// rows and bytes are what came back.
	rows, bytes float64
}

// measured is what a question of a size costs, in each design; nil where a design has no answer of its own.
type measured struct {
	question    question
	scale, size int
	costs       []*cost
}

// check asks every instance of a question of every design, and is an error if an answer is not the truth. It returns what the answers cost
// the store.
func check(ctx context.Context, store hbase.Store, t trial, q question, size int) ([]*cost, error) {
	costs := make([]*cost, len(q.asks))
	for i, ask := range q.asks {
		if ask == nil {
			continue
		}
		var stats hbase.Stats
		for instance := range q.instances {
			answer, err := ask(hbase.WithStats(ctx, &stats), store, size, instance)
			if err != nil {
				return nil, fmt.Errorf("%s, %s: %w", t.designs[i].name, q.name, err)
			}
			if q.truth == nil {
				continue
			}
			if truth := q.truth(size, instance); !slices.Equal(answer, truth) {
				return nil, fmt.Errorf("%s, %s: size %d, instance %d: got %q, not %q",
					t.designs[i].name, q.name, size, instance, answer, truth)
			}
		}
		n := float64(q.instances)
		costs[i] = &cost{rpcs: float64(stats.RPCs.Load()) / n, rows: float64(stats.Rows.Load()) / n, bytes: float64(stats.Bytes.Load()) / n}
	}
	return costs, nil
}

// measure checks the answers to a question, and then measures them: all designs in turn, again and again, so that whatever else
// the machine does meets all of them. Costs are medians.
func measure(ctx context.Context, e engine, store hbase.Store, t trial, q question, size int) ([]*cost, error) {
	costs, err := check(ctx, store, t, q, size)
	if err != nil {
		return nil, err
	}
	meters := make([]meter, len(q.asks))
	longest := time.Duration(0)
	for i, ask := range q.asks {
		if ask != nil {
			meters[i] = meter{e, store, q, ask, size, q.instances}
			each, err := meters[i].warm(ctx)
			if err != nil {
				return nil, err
			}
			longest = max(longest, each*time.Duration(meters[i].asked))
		}
	}
	samples := make([][]cost, len(meters))
	for range min(max(int(enough/longest), few), many) {
		for i, m := range meters {
			if m.ask == nil {
				continue
			}
			c, err := m.once(ctx)
			if err != nil {
				return nil, err
			}
			samples[i] = append(samples[i], c)
		}
	}
	for i, c := range costs {
		if c != nil {
			c.time = median(samples[i], func(c cost) time.Duration { return c.time })
			c.own = median(samples[i], func(c cost) time.Duration { return c.own })
			c.servers = median(samples[i], func(c cost) time.Duration { return c.servers })
		}
	}
	return costs, nil
}

func median(samples []cost, of func(cost) time.Duration) time.Duration {
	var all []time.Duration
	for _, c := range samples {
		all = append(all, of(c))
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// meter measures a design that is asked a question.
type meter struct {
	engine engine
	store  hbase.Store
	q      question
	ask    ask
	size   int
	// asked is how often a repetition asks: all instances, each as often as the others.
	asked int
}

// warm asks until the design is warm, finds out how often a repetition has to ask, and returns how long an answer takes.
func (m *meter) warm(ctx context.Context) (each time.Duration, err error) {
	for start := time.Now(); each == 0 || time.Since(start) < warmUp; {
		c, err := m.once(ctx)
		if err != nil {
			return 0, err
		}
		each = max(c.time, 1)
		m.asked = (int(batchTime/each)/m.q.instances + 1) * m.q.instances
	}
	return each, nil
}

// once is a repetition.
func (m *meter) once(ctx context.Context) (c cost, err error) {
	own, err1 := ownCPU()
	servers, err2 := m.engine.cpu()
	start := time.Now()
	for i := range m.asked {
		if _, err := m.ask(ctx, m.store, m.size, i%m.q.instances); err != nil {
			return c, err
		}
	}
	n := time.Duration(m.asked)
	c.time = time.Since(start) / n
	ownEnd, err3 := ownCPU()
	serversEnd, err4 := m.engine.cpu()
	c.own, c.servers = (ownEnd-own)/n, (serversEnd-servers)/n
	return c, errors.Join(err1, err2, err3, err4)
}
