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
	// batchTime is the minimum duration of a sample.
	batchTime = 20 * time.Millisecond
	// warmUp is the duration of a query before it is measured: Java compiles hot code.
	warmUp = 400 * time.Millisecond
	// measureTime is the duration of the measurement of a design, in minSamples to maxSamples samples.
	measureTime            = time.Second
	minSamples, maxSamples = 5, 25
)

type cost struct {
	time time.Duration
	// own is the CPU time of this process, servers that of the region servers.
	own, servers time.Duration
	rpcs         float64
	// rows and bytes are those returned.
	rows, bytes float64
}

// measured has the cost of a query of a size in each design, nil for a design without an own
// implementation.
type measured struct {
	query       query
	scale, size int
	costs       []*cost
}

// check runs every instance of a query in every design, and returns an error if a result is wrong.
// Otherwise it returns the costs that the store counts.
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

// measure checks the results of a query, and then measures all designs in turns, so that all see
// the same load of the machine. Costs are medians.
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

// meter measures a query in one design.
type meter struct {
	engine engine
	store  hbase.Store
	q      query
	run    queryFunc
	size   int
	// calls is the number of calls of a sample, the same for each instance.
	calls int
}

// warm runs the query until it is warm, determines the calls of a sample, and returns the time of a
// call.
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

// once takes a sample.
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
