package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"
	"golang.org/x/sync/errgroup"

	"twibase/e2e/loadtest"
	"twibase/graph/auth"
	"twibase/live"
)

// How many subscribe, each over a connection of its own, and how often is posted, once a second.
const (
	subscriberCount = 2000
	newsCount       = 20
)

// subscribers tells what two thousand of them cost: all of one author's posts, which is one row, or each of a timeline of their own.
func subscribers(ctx context.Context, _ *world) error {
	t := newTable(fmt.Sprintf("%d subscribers of one gateway, and a post a second", subscriberCount),
		"they subscribe to", "rows", "rounds a poll", "Gets a poll", "delivered after: median", "p99", "the last", "CPU of a second", "memory", "a subscriber")
	defer t.end()
	for _, field := range []string{`twitPosted(username:"author")`, "timelineTwitAdded"} {
		if err := subscribing(ctx, t, field); err != nil {
			return err
		}
	}
	return nil
}

// subscribing measures one kind of subscription, on a store of its own.
func subscribing(ctx context.Context, t table, field string) error {
	p, err := newPlace()
	if err != nil {
		return err
	}
	defer p.leave()
	users, follows := bytes.NewBufferString("username,name\nauthor,Author\n"), bytes.NewBufferString("follower,followee\n")
	for i := range subscriberCount {
		fmt.Fprintf(users, "fan%d,Fan\n", i)
		fmt.Fprintf(follows, "fan%d,author\n", i)
	}
	for name, text := range map[string]*bytes.Buffer{"users.csv": users, "follows.csv": follows} {
		if err := os.WriteFile(p.path(name), text.Bytes(), 0o600); err != nil {
			return err
		}
	}
	program, err := p.build(ctx)
	if err != nil {
		return err
	}
	store := "embedded:" + p.path("store")
	if out, err := exec.CommandContext(ctx, program, "import", "--store", store, p.path("users.csv"), p.path("follows.csv")).CombinedOutput(); err != nil {
		return fmt.Errorf("import: %w\n%s", err, out)
	}
	g, err := p.serve(ctx, program, store, "--streams-per-address", "0")
	if err != nil {
		return err
	}
	empty, err := g.Resident()
	if err != nil {
		return err
	}
	a := &audience{gateway: g, heard: make(chan time.Duration, subscriberCount*newsCount)}
	listening, stop := context.WithCancel(ctx)
	defer stop()
	if err := a.gather(listening, field); err != nil {
		return err
	}
	before, err := metricsOf(g.URL)
	if err != nil {
		return err
	}
	cpu, err := g.CPU()
	if err != nil {
		return err
	}
	begin := time.Now()
	if err := a.post(ctx); err != nil {
		return err
	}
	took := time.Since(begin)
	used, err := g.CPU()
	if err != nil {
		return err
	}
	full, err := g.Resident()
	if err != nil {
		return err
	}
	after, err := metricsOf(g.URL)
	if err != nil {
		return err
	}
	looks := after["looks_total"] - before["looks_total"]
	times := a.all()
	percentile := func(p int) string { return times[(len(times)-1)*p/100].Round(time.Millisecond).String() }
	t.row(field[:strings.IndexAny(field+"(", "(")], fmt.Sprint(after["rows"]), fmt.Sprintf("%.2f", (after["rounds_total"]-before["rounds_total"])/looks),
		fmt.Sprintf("%.0f", (after["gets_total"]-before["gets_total"])/looks), percentile(50), percentile(99), percentile(100),
		fmt.Sprintf("%.0f ms", float64((used-cpu).Milliseconds())/took.Seconds()), fmt.Sprintf("%d MB", full>>20), fmt.Sprintf("%d KB", (full-empty)/subscriberCount>>10))
	return nil
}

// audience are those who subscribe.
type audience struct {
	gateway *loadtest.Gateway
	heard   chan time.Duration
	times   []time.Duration
}

// gather lets all of them subscribe, and returns when all have.
func (a *audience) gather(ctx context.Context, field string) error {
	var group errgroup.Group
	group.SetLimit(50)
	for i := range subscriberCount {
		group.Go(func() error { return a.listen(ctx, fmt.Sprint("fan", i), field) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for ctx.Err() == nil {
		metrics, err := metricsOf(a.gateway.URL)
		if err != nil {
			return err
		}
		if metrics["subscribers"] == subscriberCount {
			time.Sleep(2 * time.Second) // until all is quiet
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return ctx.Err()
}

// listen subscribes, and notes from then on how long after they were sent twits come. Their content says when they were sent.
func (a *audience) listen(ctx context.Context, username, field string) error {
	socket, _, err := websocket.Dial(ctx, a.gateway.URL+"/graphql", &websocket.DialOptions{Subprotocols: []string{"graphql-transport-ws"}})
	if err != nil {
		return err
	}
	query, err := json.Marshal("subscription{t:" + field + "{content}}")
	if err != nil {
		return err
	}
	subscribe := fmt.Sprintf(`{"id":"1","type":"subscribe","payload":{"query":%s}}`, query)
	for _, message := range []string{fmt.Sprintf(`{"type":"connection_init","payload":{"authorization":"Bearer %s"}}`, tokenOf(username)), subscribe} {
		if err := socket.Write(ctx, websocket.MessageText, []byte(message)); err != nil {
			return err
		}
	}
	go func() {
		defer socket.CloseNow()
		for {
			_, text, err := socket.Read(ctx)
			if err != nil {
				return
			}
			var message struct {
				Type    string
				Payload struct {
					Data struct{ T struct{ Content string } }
				}
			}
			err = json.Unmarshal(text, &message)
			if message.Type == "error" { // too many came at once
				time.Sleep(time.Second)
				if socket.Write(ctx, websocket.MessageText, []byte(subscribe)) != nil {
					return
				}
			}
			if err != nil || message.Type != "next" {
				continue
			}
			sent, _ := strconv.ParseInt(message.Payload.Data.T.Content, 10, 64)
			a.heard <- time.Since(time.Unix(0, sent))
		}
	}()
	return nil
}

// post posts once a second, and waits until everybody has heard of everything.
func (a *audience) post(ctx context.Context) error {
	token := tokenOf("author")
	var posting sync.WaitGroup
	var failed error
	posting.Go(func() {
		for range newsCount {
			body := fmt.Sprintf(`{"query":"mutation{postTwit(input:{content:\"%d\"}){userErrors{code}}}"}`, time.Now().UnixNano())
			r, _ := http.NewRequestWithContext(ctx, http.MethodPost, a.gateway.URL+"/graphql", strings.NewReader(body))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Authorization", "Bearer "+token)
			response, err := http.DefaultClient.Do(r)
			if err != nil {
				failed = err
				return
			}
			response.Body.Close()
			time.Sleep(time.Second + live.Interval/newsCount) // once at each moment between two looks
		}
	})
	patience := time.After(newsCount*time.Second + time.Minute)
	for len(a.times) < subscriberCount*newsCount {
		select {
		case d := <-a.heard:
			a.times = append(a.times, d)
		case <-patience:
			return fmt.Errorf("%d of %d were delivered", len(a.times), subscriberCount*newsCount)
		}
	}
	posting.Wait()
	return failed
}

// all are the times of all deliveries, ascending.
func (a *audience) all() []time.Duration {
	slices.Sort(a.times)
	return a.times
}

func tokenOf(username string) string {
	token, _, err := (&auth.Tokens{Secrets: auth.NewSecrets(secret), Now: time.Now}).Sign(auth.Viewer{Username: username})
	if err != nil {
		panic(err) // the secret is long enough
	}
	return token
}

// metricsOf returns what /metrics says of subscriptions.
func metricsOf(url string) (map[string]float64, error) {
	response, err := http.Get(url + "/metrics")
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	metrics := map[string]float64{}
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		if name, value, ok := strings.Cut(lines.Text(), " "); ok {
			if name, ours := strings.CutPrefix(name, "twibase_subscription_"); ours {
				if metrics[name], err = strconv.ParseFloat(value, 64); err != nil {
					return nil, err
				}
			}
		}
	}
	return metrics, lines.Err()
}
