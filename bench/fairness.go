package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"twibase/e2e/loadtest"
	"twibase/graph/auth"
)

const (
	// fairQuery is expensive. With many cheap requests, the clients in this program would wait for
	// each other.
	fairQuery   = `{user(username:"u7"){name followers(first:50){nodes{name followers(first:50){nodes{name}}}}}}`
	fairRuns    = 5
	fairSlot    = 8 * time.Second
	fairClients = 5
	fairLoad    = 20
	abuse       = 10
	// budgetShare is the budget of a client, relative to the rows of each other client.
	budgetShare = 2
)

func fairness(ctx context.Context, _ *dataset) error {
	p, err := newWorkspace()
	if err != nil {
		return err
	}
	defer p.close()
	program, store, err := p.importFollowGraph(ctx)
	if err != nil {
		return err
	}
	copied := p.path("copied")
	if err := os.CopyFS(copied, os.DirFS(strings.TrimPrefix(store, "embedded:"))); err != nil {
		return err
	}
	r := loadtest.Request{Body: []byte(`{"query":` + strconv.Quote(fairQuery) + `}`)}
	rows, err := p.rowsOf(ctx, program, store, &r)
	if err != nil {
		return err
	}
	flag := fmt.Sprintf("--viewer-rows-per-second=%d", budgetShare*fairLoad/fairClients*rows)
	var budgeted *loadtest.Gateway
	free, apart, err := loadtest.StartApart(func() (*loadtest.Gateway, error) {
		var failed error
		if budgeted, failed = p.serve(ctx, program, "embedded:"+copied, flag); failed != nil {
			return nil, failed
		}
		return p.serve(ctx, program, store)
	})
	if err != nil {
		return err
	}
	peak, err := free.Drive(r, waitingClients, fairSlot)
	if err != nil {
		return err
	}
	var without, with fairRun
	for range fairRuns {
		if err := errors.Join(without.run(free, r), with.run(budgeted, r)); err != nil {
			return err
		}
	}
	t := newTable(fmt.Sprintf("Embedded store, on processors of its own: %t. %d clients send %d requests of %d rows per second, "+
		"%.2f × the capacity, and an abuser %d × as many", apart, fairClients, fairLoad, rows,
		fairLoad/peak.PerSecond(), abuse),
		"gateway", "p50 alone", "p99 alone", "p50 with the abuser", "p99 with the abuser", "ratio of the p99",
		"of single runs", "answered alone", "answered with the abuser", "answered to the abuser")
	defer t.end()
	without.print(t, "without a budget")
	with.print(t, flag)
	return nil
}

func (p *workspace) rowsOf(ctx context.Context, program, store string, r *loadtest.Request) (rows int, err error) {
	g, err := p.serve(ctx, program, store)
	if err != nil {
		return 0, err
	}
	defer p.stop()
	if r.Want, err = g.Response(*r); err != nil {
		return 0, err
	}
	report, err := g.Report(*r)
	return report.Rows, err
}

type fairRun struct {
	alone, beside, abuser loadtest.RateResult
	ratios                []float64
}

func (f *fairRun) run(g *loadtest.Gateway, r loadtest.Request) error {
	alone, _, err := sendBeside(g, r, 1, 0, fairSlot)
	if err != nil {
		return err
	}
	if _, _, err := sendBeside(g, r, 0, abuse, fairSlot/3); err != nil { // spends the saved rows
		return err
	}
	beside, abuser, err := sendBeside(g, r, 1, abuse, fairSlot)
	merge(&f.alone, alone)
	merge(&f.beside, beside)
	merge(&f.abuser, abuser)
	f.ratios = append(f.ratios, float64(beside.Percentile(99))/float64(max(alone.Percentile(99), 1)))
	return err
}

func (f *fairRun) print(t table, gateway string) {
	percentile := func(o loadtest.RateResult, p int) string {
		return o.Percentile(p).Round(100 * time.Microsecond).String()
	}
	part := func(o loadtest.RateResult) string {
		return fmt.Sprintf("%.0f %%", 100*float64(o.Answered)/float64(max(o.Requests, 1)))
	}
	slices.Sort(f.ratios)
	t.row(gateway, percentile(f.alone, 50), percentile(f.alone, 99), percentile(f.beside, 50), percentile(f.beside, 99),
		fmt.Sprintf("%.2f", float64(f.beside.Percentile(99))/float64(max(f.alone.Percentile(99), 1))),
		fmt.Sprintf("%.2f–%.2f", f.ratios[0], f.ratios[len(f.ratios)-1]),
		part(f.alone), part(f.beside), part(f.abuser))
}

func merge(into *loadtest.RateResult, o loadtest.RateResult) {
	into.Requests, into.Answered = into.Requests+o.Requests, into.Answered+o.Answered
	into.Latency = append(into.Latency, o.Latency...)
	slices.Sort(into.Latency)
}

func sendBeside(
	g *loadtest.Gateway, r loadtest.Request, ordinary, abusive float64, duration time.Duration,
) (others, abuser loadtest.RateResult, err error) {
	tokens := &auth.Tokens{Secrets: auth.NewSecrets(secret), Now: time.Now}
	var all sync.WaitGroup
	var mu sync.Mutex
	send := func(username string, perSecond float64, into *loadtest.RateResult) {
		if perSecond == 0 {
			return
		}
		own := r
		var signed error
		if own.Token, _, signed = tokens.Sign(auth.Viewer{Username: username}); signed != nil {
			err = signed
			return
		}
		all.Go(func() {
			o, failed := g.SendAtRate(own, perSecond, 0, duration)
			mu.Lock()
			defer mu.Unlock()
			merge(into, o)
			err = errors.Join(err, failed)
		})
	}
	for i := range fairClients {
		send(fmt.Sprint("u", i), ordinary*fairLoad/fairClients, &others)
	}
	send("u99", abusive*fairLoad, &abuser)
	all.Wait()
	return others, abuser, err
}
