package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
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

const (
	subscriberCount = 2000
	postCount       = 20
)

func subscribers(ctx context.Context, _ *dataset) error {
	t := newTable(fmt.Sprintf("%d subscribers of one gateway, one post per second", subscriberCount),
		"subscription", "rows", "rounds per poll", "Gets per poll", "delay: median", "p99", "maximum",
		"CPU per second", "memory", "per subscriber")
	defer t.end()
	for _, field := range []string{`twitPosted(username:"author")`, "timelineTwitAdded"} {
		if err := measureSubscribers(ctx, t, field); err != nil {
			return err
		}
	}
	return nil
}

func measureSubscribers(ctx context.Context, t table, field string) error {
	p, err := newWorkspace()
	if err != nil {
		return err
	}
	defer p.close()
	users, follows := bytes.NewBufferString("username,name\nauthor,Author\n"), bytes.NewBufferString("follower,followee\n")
	for i := range subscriberCount {
		fmt.Fprintf(users, "fan%d,Fan\n", i)
		fmt.Fprintf(follows, "fan%d,author\n", i)
	}
	program, store, err := p.importUsers(ctx, users, follows)
	if err != nil {
		return err
	}
	g, err := p.serve(ctx, program, store, "--streams-per-address", "0")
	if err != nil {
		return err
	}
	empty, err := g.Resident()
	if err != nil {
		return err
	}
	a := &subscriberGroup{gateway: g, delays: make(chan time.Duration, subscriberCount*postCount)}
	subscription, stop := context.WithCancel(ctx)
	defer stop()
	if err := a.subscribeAll(subscription, field); err != nil {
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
	if err := a.post(); err != nil {
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
	polls := after["polls_total"] - before["polls_total"]
	if polls == 0 {
		return errors.New("no polls were counted")
	}
	times := a.all()
	percentile := func(p int) string { return times[(len(times)-1)*p/100].Round(time.Millisecond).String() }
	t.row(field[:strings.IndexAny(field+"(", "(")], fmt.Sprint(after["rows"]), fmt.Sprintf("%.2f",
		(after["rounds_total"]-before["rounds_total"])/polls),
		fmt.Sprintf("%.0f",
			(after["gets_total"]-before["gets_total"])/polls), percentile(50), percentile(99), percentile(100),
		fmt.Sprintf("%.0f ms", float64((used-cpu).Milliseconds())/took.Seconds()), fmt.Sprintf("%d MB", full>>20),
		fmt.Sprintf("%d KB", (full-empty)/subscriberCount>>10))
	return nil
}

type subscriberGroup struct {
	gateway *loadtest.Gateway
	delays  chan time.Duration
	times   []time.Duration
}

func (a *subscriberGroup) subscribeAll(ctx context.Context, field string) error {
	var group errgroup.Group
	group.SetLimit(50)
	for i := range subscriberCount {
		group.Go(func() error { return a.subscribe(ctx, fmt.Sprint("fan", i), field) })
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
			time.Sleep(2 * time.Second)
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return ctx.Err()
}

func (a *subscriberGroup) subscribe(ctx context.Context, username, field string) error {
	socket, _, err := websocket.Dial(ctx, a.gateway.URL+"/graphql",
		&websocket.DialOptions{Subprotocols: []string{"graphql-transport-ws"}})
	if err != nil {
		return err
	}
	query, err := json.Marshal("subscription{t:" + field + "{content}}")
	if err != nil {
		return err
	}
	subscribe := fmt.Sprintf(`{"id":"1","type":"subscribe","payload":{"query":%s}}`, query)
	for _, message := range []string{fmt.Sprintf(`{"type":"connection_init","payload":{"authorization":"Bearer %s"}}`,
		tokenOf(username)), subscribe} {
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
			if message.Type == "error" {
				time.Sleep(time.Second)
				if socket.Write(ctx, websocket.MessageText, []byte(subscribe)) != nil {
					return
				}
			}
			if err != nil || message.Type != "next" {
				continue
			}
			sent, _ := strconv.ParseInt(message.Payload.Data.T.Content, 10, 64)
			a.delays <- time.Since(time.Unix(0, sent))
		}
	}()
	return nil
}

func (a *subscriberGroup) post() error {
	var posting sync.WaitGroup
	var failed error
	posting.Go(func() {
		for range postCount {
			if failed = postTwit(a.gateway, "author", strconv.FormatInt(time.Now().UnixNano(), 10)); failed != nil {
				return
			}
			time.Sleep(time.Second + live.Interval/postCount) // at all points between two polls
		}
	})
	timeout := time.After(postCount*time.Second + time.Minute)
	for len(a.times) < subscriberCount*postCount {
		select {
		case d := <-a.delays:
			a.times = append(a.times, d)
		case <-timeout:
			return fmt.Errorf("%d of %d twits were delivered", len(a.times), subscriberCount*postCount)
		}
	}
	posting.Wait()
	return failed
}

func (a *subscriberGroup) all() []time.Duration {
	slices.Sort(a.times)
	return a.times
}

func tokenOf(username string) string {
	token, _, err := (&auth.Tokens{Secrets: auth.NewSecrets(secret), Now: time.Now}).Sign(auth.Viewer{Username: username})
	if err != nil {
		panic(err)
	}
	return token
}

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
