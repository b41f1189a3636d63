package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"twibase/e2e/loadtest"
	"twibase/graph/relay"
	"twibase/hbase/tables"
)

// growth shows what a page costs as its list grows, and an answer as it grows.
func growth(ctx context.Context, w *world) error {
	p, err := newPlace()
	if err != nil {
		return err
	}
	defer p.leave()
	lengths := []int{10_000, 100_000, 1_000_000, 10_000_000}
	lists, world := "embedded:"+p.path("lists"), "embedded:"+p.path("world")
	err = errors.Join(w.store(ctx, world), fill(ctx, lists, func(to *writer) {
		for _, n := range lengths {
			storeLong(to, n)
		}
	}))
	if err != nil {
		return err
	}
	of, err := p.twibase(ctx, lists)
	if err != nil {
		return err
	}
	if err := pages("with row cache", of, lengths); err != nil {
		return err
	}
	p.stop()
	if of, err = p.twibase(ctx, lists, uncached...); err != nil {
		return err
	}
	if err := pages("without row cache", of, lengths); err != nil {
		return err
	}
	twibase, err := p.twibase(ctx, world)
	if err != nil {
		return err
	}
	return w.answers(twibase)
}

// pageOf returns the request for 20 of so many followers, from the given one on.
func pageOf(members, from int) loadtest.Request {
	after := ""
	if from > 0 {
		after = fmt.Sprintf(`, after: \"%s\"`, relay.CursorsOf(&tables.Followers.AnyList).Encode(tables.Followers.Position(follower(members, from-1))))
	}
	var nodes []string
	for i := range 20 {
		nodes = append(nodes, fmt.Sprintf(`{"username":"%s"}`, username(from+i)))
	}
	return loadtest.Request{
		Body: fmt.Appendf(nil, `{"query":"{user(username:\"%s\"){followers(first:20%s){nodes{username}}}}"}`, long(members), after),
		Want: fmt.Appendf(nil, `{"data":{"user":{"followers":{"nodes":[%s]}}}}`, strings.Join(nodes, ",")),
	}
}

func pages(from string, g *loadtest.Gateway, lengths []int) error {
	t := newTable("Growth of a list: a page of 20, embedded engine, "+from+", one connection",
		"members", "first page: p50", "CPU", "p50, × that of the first row", "page in the middle: p50", "CPU", "p50, × that of the first row")
	places := []func(n int) int{func(int) int { return 0 }, func(n int) int { return n/2 + 7 }}
	latency, cpu := make([][][]time.Duration, len(lengths)), make([][][]time.Duration, len(lengths))
	ratios := make([][][]float64, len(lengths))
	for i := range lengths {
		latency[i], cpu[i], ratios[i] = make([][]time.Duration, len(places)), make([][]time.Duration, len(places)), make([][]float64, len(places))
	}
	for round := range serverRounds + 1 {
		for j, place := range places {
			for i, n := range lengths {
				load, err := g.Drive(pageOf(n, place(n)), 1, askedFor)
				if err != nil {
					return err
				}
				if round == 0 {
					continue // what is first read comes from the disk
				}
				latency[i][j], cpu[i][j] = append(latency[i][j], load.Percentile(50)), append(cpu[i][j], load.CPU)
				ratios[i][j] = append(ratios[i][j], float64(load.Percentile(50))/float64(latency[0][j][round-1]))
			}
		}
	}
	for i, n := range lengths {
		row := []string{fmt.Sprint(n)}
		for j := range places {
			row = append(row, ms(middle(latency[i][j])), ms(middle(cpu[i][j])), fmt.Sprintf("%.2f ×", middle(ratios[i][j])))
		}
		t.row(row...)
	}
	t.end()
	return nil
}

// answers asks for answers of about 10^2, 10^3, 10^4 and 10^5 objects.
func (w *world) answers(twibase *loadtest.Gateway) error {
	t := newTable("Growth of an answer: the reference query with other pages",
		"objects", "answer", "by hand, from memory: ns of CPU per object", "plan, from memory: ns of CPU per object", "twibase, embedded engine: ns of CPU per object")
	for _, size := range [][3]int{{4, 4, 5}, {10, 9, 10}, {20, 45, 10}, {100, 90, 10}} {
		users, followers, twits := size[0], size[1], size[2]
		objects := users + users*followers + users*followers*twits
		q := &query{text: fmt.Sprintf(`{users(first:%d){nodes{id name followers(first:%d){nodes{id name twits(first:%d){nodes{id content}}}}}}}`, users, followers, twits),
			hand: func(b []byte, _ asked) []byte { return handwritten{w}.people(b, users, followers, twits) }}
		program, body := program{q.text: q}, q.body()
		var buffer []byte
		costs := turns(func() { buffer = program.answer(buffer[:0], body, "") }, discard(answerer(w.planned(), body, "")))
		var gateways []float64
		for range serverRounds {
			load, err := twibase.Drive(q.request(), 1, askedFor)
			if err != nil {
				return err
			}
			gateways = append(gateways, float64(load.CPU))
		}
		each := func(cpu float64) string { return fmt.Sprintf("%.0f", cpu/float64(objects)) }
		t.row(fmt.Sprint(objects), fmt.Sprintf("%.0f KB", float64(len(q.answer()))/1000),
			each(median(costs, func(round []cost) float64 { return float64(round[0].cpu) })),
			each(median(costs, func(round []cost) float64 { return float64(round[1].cpu) })), each(middle(gateways)))
	}
	t.end()
	return nil
}
