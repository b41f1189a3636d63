package differential

import (
	"context"
	"fmt"
	"sync"
	"time"

	"twibase/hbase"
)

func step(ctx context.Context, store hbase.Store, operations []operation, ranges []rowRange) []string {
	answers := make([]string, len(operations))
	var mutations []hbase.Mutation
	var gets []hbase.Get
	var mutating, getting []int
	var alone sync.WaitGroup
	for i, o := range operations {
		switch {
		case o.mutation != nil:
			mutations, mutating = append(mutations, ranges[i].mutation(o.mutation)), append(mutating, i)
		case o.get != nil:
			gets, getting = append(gets, ranges[i].get(*o.get)), append(getting, i)
		default:
			alone.Go(func() { answers[i] = o.alone(ctx, store, ranges[i]) })
		}
	}
	mutate(ctx, store, mutations, func(k int, text string) { answers[mutating[k]] = text })
	get(ctx, store, gets, func(k int, text string) { answers[getting[k]] = text })
	alone.Wait()
	return answers
}

func mutate(ctx context.Context, store hbase.Store, mutations []hbase.Mutation, answered func(int, string)) {
	errs, err := store.Mutate(ctx, mutations)
	for k := range mutations {
		each := err
		if errs != nil && err == nil {
			each = errs[k]
		}
		answered(k, answer("written", each))
	}
}

func get(ctx context.Context, store hbase.Store, gets []hbase.Get, answered func(int, string)) {
	results, err := store.Get(ctx, gets)
	for k := range gets {
		if err != nil {
			answered(k, answer("", err))
			continue
		}
		answered(k, answer(cells(results[k].Cells), results[k].Err))
	}
}

type engines struct{ embedded, cluster hbase.Store }

func (e engines) step(ctx context.Context, operations []operation, ranges []rowRange) map[int]string {
	var ours []string
	var both sync.WaitGroup
	both.Go(func() { ours = step(ctx, e.embedded, operations, ranges) })
	theirs := step(ctx, e.cluster, operations, ranges)
	both.Wait()
	nextMillisecond()
	differ := make(map[int]string)
	for i := range operations {
		if ours[i] != theirs[i] {
			differ[i] = fmt.Sprintf("HBase:\n%s\nembedded engine:\n%s", theirs[i], ours[i])
		}
	}
	return differ
}

func nextMillisecond() {
	for start := time.Now().UnixMilli(); time.Now().UnixMilli() == start; {
		time.Sleep(200 * time.Microsecond)
	}
}

func (e engines) replay(ctx context.Context, sequence []operation, at rowRange) (int, string) {
	for i, o := range sequence {
		if differ := e.step(ctx, []operation{o}, []rowRange{at}); len(differ) > 0 {
			return i + 1, differ[0]
		}
	}
	return 0, ""
}
