package writers

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// tally adds up what a stage counts.
func (x *execution) tally(s stage) {
	mine := map[place]bool{}
	for _, st := range s {
		c, ok := st.(count)
		if !ok {
			continue
		}
		t := x.tallies[c.place]
		if t == nil {
			t = &tally{place: c.place, op: x.intent.ID, deltas: map[string]int{}}
			x.tallies[c.place], mine[c.place] = t, true
		} else if !mine[c.place] {
			panic("writers: " + x.kind + " counts in one row in two stages: the second would be taken for done")
		}
		t.deltas[c.name] += c.delta
	}
}

// prefetch returns the reads that the first stages need anyway, and that can be made before the decision.
func (x *execution) prefetch() (gets []hbase.Get, take func([][]hbase.Cell) error) {
	var members []*member
	for _, s := range x.plan.now {
		for _, st := range s {
			if m, ok := st.(*member); ok {
				members = append(members, m)
				gets = append(gets, m.where())
			}
		}
	}
	tallies := x.sorted()
	for _, t := range tallies {
		gets = append(gets, t.get())
	}
	return gets, func(cells [][]hbase.Cell) (err error) {
		for i, m := range members {
			if x.places[m], err = m.place(cells[i]); err != nil {
				return err
			}
		}
		for i, t := range tallies {
			t.before, t.read = cells[len(members)+i], true
		}
		return nil
	}
}

func (x *execution) sorted() []*tally {
	return slices.SortedFunc(maps.Values(x.tallies), func(a, b *tally) int { return a.place.compare(b.place) })
}

// stages does stages in turn. A stage that fails for a while is repeated.
func (x *execution) stages(ctx context.Context, stages []stage, label string) error {
	for i, s := range stages {
		for try := 0; ; try++ {
			err := x.stage(ctx, s, fmt.Sprintf("%s%d ", label, i))
			if err == nil {
				break
			}
			if try == 2 || !errors.Is(err, hbase.ErrUnavailable) || ctx.Err() != nil {
				return err
			}
			x.w.Counters.Retries.Add(1)
			sleep(ctx, 20*time.Millisecond<<try)
		}
	}
	return x.settle(ctx)
}

// settle looks until no bucket that a member was written to has been cut meanwhile.
func (x *execution) settle(ctx context.Context) error {
	for len(x.placed) > 0 {
		if _, err := x.looked(ctx, nil, "check buckets"); err != nil {
			return err
		}
	}
	return nil
}

// stage does what can be done side by side: it looks, writes, and runs what it demands.
func (x *execution) stage(ctx context.Context, s stage, label string) error {
	steps, err := x.look(ctx, s, label)
	if err != nil {
		return err
	}
	if err := x.locate(ctx, steps, label); err != nil {
		return err
	}
	var writes []write
	counts := map[place]bool{}
	for _, st := range steps {
		switch st := st.(type) {
		case put:
			writes = append(writes, write{label + st.String(), st.Mutation})
		case job:
			writes = append(writes, st.write(label))
		case *member:
			writes = append(writes, st.writes(x.places[st], label)...)
			x.placed[st] = x.places[st]
		case count:
			counts[st.place] = true
		}
	}
	lengths, err := x.write(ctx, writes, counts, label)
	if err != nil {
		return err
	}
	x.grown(ctx, steps, lengths)
	for _, st := range steps {
		switch st := st.(type) {
		case job:
			x.w.jobs(st.Job)
		case demand:
			if err := x.demand(ctx, st); err != nil {
				return err
			}
		case each:
			if err := x.each(ctx, st, label); err != nil {
				return err
			}
		}
	}
	return nil
}

// look does the looks of a stage, and returns what is left to do.
func (x *execution) look(ctx context.Context, s stage, label string) (steps []step, err error) {
	var looks []look
	for _, st := range s {
		if l, ok := st.(look); ok {
			looks = append(looks, l)
		} else {
			steps = append(steps, st)
		}
	}
	if len(looks) == 0 {
		return steps, nil
	}
	var gets []hbase.Get
	for _, l := range looks {
		gets = append(gets, l.gets...)
	}
	cells, err := x.looked(ctx, gets, label+looks[0].String())
	if err != nil {
		return nil, err
	}
	for _, l := range looks {
		more, err := l.then(cells[:len(l.gets)])
		if err != nil {
			return nil, x.failed(label+l.String(), err)
		}
		for _, st := range more {
			if _, ok := st.(count); ok {
				panic("writers: " + x.kind + " counts what it looked up: two who carry it on could see different things")
			}
		}
		steps, cells = append(steps, more...), cells[len(l.gets):]
	}
	return steps, nil
}

// looked reads, when no member that was written is in a bucket that was cut meanwhile: such a member is written again first.
func (x *execution) looked(ctx context.Context, gets []hbase.Get, label string) ([][]hbase.Cell, error) {
	for {
		placed := slices.SortedFunc(maps.Keys(x.placed), (*member).compare)
		all := slices.Clone(gets)
		for _, m := range placed {
			all = append(all, m.where())
		}
		cells, err := x.get(ctx, label, all)
		if err != nil {
			return nil, err
		}
		var writes []write
		moved := map[*member]tables.Place{}
		for i, m := range placed {
			at, err := m.place(cells[len(gets)+i])
			if err != nil {
				return nil, x.failed(label, err)
			}
			if at == x.placed[m] {
				delete(x.placed, m)
				delete(x.places, m)
			} else {
				moved[m] = at
				writes = append(writes, m.writes(at, "again ")...)
			}
		}
		if len(writes) == 0 {
			return cells[:len(gets)], nil
		}
		if err := x.open(ctx, label+" "); err != nil {
			return nil, err
		}
		if err := x.mutate(ctx, writes...); err != nil {
			return nil, err
		}
		maps.Copy(x.placed, moved)
	}
}

// locate finds the buckets of those members of which that is not known yet.
func (x *execution) locate(ctx context.Context, steps []step, label string) error {
	var gets []hbase.Get
	var members []*member
	for _, st := range steps {
		m, ok := st.(*member)
		if !ok {
			continue
		}
		if _, known := x.places[m]; !known {
			members, gets = append(members, m), append(gets, m.where())
		}
	}
	if len(members) == 0 {
		return nil
	}
	cells, err := x.get(ctx, label+"find buckets", gets)
	for i, m := range members {
		if err == nil {
			x.places[m], err = m.place(cells[i])
		}
	}
	if err != nil {
		return err
	}
	return x.open(ctx, label)
}

// open returns errWhole if somebody else has come to the end of the write. Whoever looks for buckets asks it afterwards: who takes the
// member out again does so when the write is whole, and so finds these buckets too; what comes late is masked in all of them.
func (x *execution) open(ctx context.Context, label string) error {
	there, err := intentsOpen(ctx, x.port, []string{x.intent.ID}, label+"own intent")
	if err == nil && !there[x.intent.ID] {
		err = errWhole
	}
	return err
}

// write writes and counts at the same time.
func (x *execution) write(ctx context.Context, writes []write, counts map[place]bool, label string) (map[column]int, error) {
	lengths := map[column]int{}
	var g errgroup.Group
	g.Go(func() error { return x.mutate(ctx, writes...) })
	var tallies []*tally
	for _, t := range x.sorted() {
		if counts[t.place] {
			tallies = append(tallies, t)
			g.Go(func() error { return x.w.counting.apply(ctx, x.port, t, label) })
		}
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	for _, t := range tallies {
		for name, n := range t.after {
			lengths[column{t.place, name}] = n
		}
	}
	return lengths, nil
}

// sleep waits, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
