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
	batchTime              = 20 * time.Millisecond
	warmUp                 = 400 * time.Millisecond // Java compiles hot code
	measureTime            = time.Second
	minSamples, maxSamples = 5, 25
)

type cost struct {
	time         time.Duration
	own, servers time.Duration
	rpcs         float64
	rows, bytes  float64
}

type measured struct {
	query       query
	scale, size int
	costs       []*cost
}

func check(ctx context.Context, store hbase.Store, t trial, q query, size int) ([]*cost, error) {
	costs := make([]*cost, len(q.run))
	for i, run := range q.run {
		if run == nil {
			continue
		}
		var stats hbase.Stats
		for instance := range q.instances {
			answer, err := run(hbase.WithStats(ctx, &stats), store, size, instance)
			if err != nil {
				return nil, fmt.Errorf("%s, %s: %w", t.designs[i].name, q.name, err)
			}
			if q.want == nil {
				continue
			}
			if want := q.want(size, instance); !slices.Equal(answer, want) {
				return nil, fmt.Errorf("%s, %s: size %d, instance %d: got %q, want %q",
					t.designs[i].name, q.name, size, instance, answer, want)
			}
		}
		n := float64(q.instances)
		costs[i] = &cost{rpcs: float64(stats.RPCs.Load()) / n, rows: float64(stats.Rows.Load()) / n,
			bytes: float64(stats.Bytes.Load()) / n}
	}
	return costs, nil
}

// measure returns medians. Designs take turns.
func measure(ctx context.Context, e engine, store hbase.Store, t trial, q query, size int) ([]*cost, error) {
	costs, err := check(ctx, store, t, q, size)
	if err != nil {
		return nil, err
	}
	meters := make([]meter, len(q.run))
	longest := time.Duration(0)
	for i, run := range q.run {
		if run != nil {
			meters[i] = meter{e, store, q, run, size, q.instances}
			each, err := meters[i].warm(ctx)
			if err != nil {
				return nil, err
			}
			longest = max(longest, each*time.Duration(meters[i].calls))
		}
	}
	samples := make([][]cost, len(meters))
	for range min(max(int(measureTime/longest), minSamples), maxSamples) {
		for i, m := range meters {
			if m.run == nil {
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

type meter struct {
	engine engine
	store  hbase.Store
	q      query
	run    queryFunc
	size   int
	calls  int
}

func (m *meter) warm(ctx context.Context) (each time.Duration, err error) {
	for start := time.Now(); each == 0 || time.Since(start) < warmUp; {
		c, err := m.once(ctx)
		if err != nil {
			return 0, err
		}
		each = max(c.time, 1)
		m.calls = (int(batchTime/each)/m.q.instances + 1) * m.q.instances
	}
	return each, nil
}

func (m *meter) once(ctx context.Context) (c cost, err error) {
	own, err1 := ownCPU()
	servers, err2 := m.engine.cpu()
	start := time.Now()
	for i := range m.calls {
		if _, err := m.run(ctx, m.store, m.size, i%m.q.instances); err != nil {
			return c, err
		}
	}
	n := time.Duration(m.calls)
	c.time = time.Since(start) / n
	ownEnd, err3 := ownCPU()
	serversEnd, err4 := m.engine.cpu()
	c.own, c.servers = (ownEnd-own)/n, (serversEnd-servers)/n
	return c, errors.Join(err1, err2, err3, err4)
}
