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

func growth(ctx context.Context, w *dataset) error {
	p, err := newWorkspace()
	if err != nil {
		return err
	}
	defer p.close()
	lengths := []int{10_000, 100_000, 1_000_000, 10_000_000}
	lists, data := "embedded:"+p.path("lists"), "embedded:"+p.path("data")
	err = errors.Join(w.store(ctx, data), fill(ctx, lists, func(to *writer) {
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
	twibase, err := p.twibase(ctx, data)
	if err != nil {
		return err
	}
	return w.responses(twibase)
}

func pageOf(members, from int) loadtest.Request {
	after := ""
	if from > 0 {
		after = fmt.Sprintf(`, after: \"%s\"`,
			relay.CursorsOf(&tables.Followers.AnyList).Encode(tables.Followers.Position(follower(members, from-1))))
	}
	var nodes []string
	for i := range 20 {
		nodes = append(nodes, fmt.Sprintf(`{"username":"%s"}`, username(from+i)))
	}
	return loadtest.Request{
		Body: fmt.Appendf(nil, `{"query":"{user(username:\"%s\"){followers(first:20%s){nodes{username}}}}"}`, long(members),
			after),
		Want: fmt.Appendf(nil, `{"data":{"user":{"followers":{"nodes":[%s]}}}}`, strings.Join(nodes, ",")),
	}
}

func pages(from string, g *loadtest.Gateway, lengths []int) error {
	t := newTable("Growth of a list: a page of 20, embedded engine, "+from+", one connection",
		"members", "first page: p50", "CPU", "p50, × that of the first row", "page in the middle: p50", "CPU",
		"p50, × that of the first row")
	places := []func(n int) int{func(int) int { return 0 }, func(n int) int { return n/2 + 7 }}
	latency, cpu := make([][][]time.Duration, len(lengths)), make([][][]time.Duration, len(lengths))
	ratios := make([][][]float64, len(lengths))
	for i := range lengths {
		latency[i], cpu[i], ratios[i] = make([][]time.Duration, len(places)), make([][]time.Duration, len(places)),
			make([][]float64, len(places))
	}
	for round := range serverRounds + 1 {
		for j, place := range places {
			for i, n := range lengths {
				load, err := g.Drive(pageOf(n, place(n)), 1, driveTime)
				if err != nil {
					return err
				}
				if round == 0 {
					continue
				}
				latency[i][j], cpu[i][j] = append(latency[i][j], load.Percentile(50)), append(cpu[i][j], load.CPU)
				ratios[i][j] = append(ratios[i][j], float64(load.Percentile(50))/float64(latency[0][j][round-1]))
			}
		}
	}
	for i, n := range lengths {
		row := []string{fmt.Sprint(n)}
		for j := range places {
			row = append(row, ms(median(latency[i][j])), ms(median(cpu[i][j])), fmt.Sprintf("%.2f ×", median(ratios[i][j])))
		}
		t.row(row...)
	}
	t.end()
	return nil
}

func (w *dataset) responses(twibase *loadtest.Gateway) error {
	t := newTable("Growth of a response: the reference query with other page sizes",
		"objects", "response", "by hand, from memory: ns of CPU per object", "plan, from memory: ns of CPU per object",
		"twibase, embedded engine: ns of CPU per object")
	for _, size := range [][3]int{{4, 4, 5}, {10, 9, 10}, {20, 45, 10}, {100, 90, 10}} {
		users, followers, twits := size[0], size[1], size[2]
		objects := users + users*followers + users*followers*twits
		q := &query{
			text: fmt.Sprintf(`{users(first:%d){nodes{id name followers(first:%d){nodes{id name twits(first:%d){
				nodes{id content}}}}}}}`, users, followers, twits),
			hand: func(b []byte, _ arguments) []byte { return handwritten{w}.people(b, users, followers, twits) },
		}
		program, body := program{q.text: q}, q.body()
		var buffer []byte
		costs := takeTurns(func() { buffer = program.respond(buffer[:0], body, "") },
			discard(responder(w.planned(), body, "")))
		var gateways []float64
		for range serverRounds {
			load, err := twibase.Drive(q.request(), 1, driveTime)
			if err != nil {
				return err
			}
			gateways = append(gateways, float64(load.CPU))
		}
		each := func(cpu float64) string { return fmt.Sprintf("%.0f", cpu/float64(objects)) }
		t.row(fmt.Sprint(objects), fmt.Sprintf("%.0f KB", float64(len(q.response()))/1000),
			each(medianOf(costs, func(round []cost) float64 { return float64(round[0].cpu) })),
			each(medianOf(costs, func(round []cost) float64 { return float64(round[1].cpu) })), each(median(gateways)))
	}
	t.end()
	return nil
}
