package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"twibase/e2e/loadtest"
)

// What is asked for under overload takes the gateway some milliseconds: 50 of a user's followers, and 20 of each of these.
const (
	crowd        = 1000
	follows      = 50
	crowdQuery   = `{user(username:"u7"){name followers(first:50){nodes{name followers(first:20){nodes{name}}}}}}`
	overloadSlot = 5 * time.Second
	atOnce       = 8    // clients at a time who wait for answers: enough that the gateway is never without work
	crowds       = 4000 // connections of those who have one each
)

// overload tells what a gateway still does when it is asked four times what it can do, and when it has connections on which little or nothing comes.
func overload(ctx context.Context, _ *world) error {
	p, err := newPlace()
	if err != nil {
		return err
	}
	defer p.leave()
	g, apart, err := crowded(ctx, p)
	if err != nil {
		return err
	}
	r := loadtest.Request{Body: []byte(`{"query":` + strconv.Quote(crowdQuery) + `}`)}
	if r.Want, err = g.Answer(r); err != nil {
		return err
	}
	if _, err := g.Drive(r, atOnce, overloadSlot); err != nil { // it gets warm
		return err
	}
	resident, err := g.Resident()
	if err != nil {
		return err
	}
	whose := "on the processors that whoever asks has too"
	if apart {
		whose = "on half of the processors, and whoever asks on the other"
	}
	t := newTable("One gateway, embedded store, "+whose+"; and what it answered just before to clients who wait for answers",
		"offered", "answered", "refused", "lost", "p50", "p99", "useful CPU", "connections", "memory")
	defer t.end()
	// Others use the machine too, now more and now less: so the best is looked for before each row.
	row := func(what string, factor float64, connections int, misuse func() (end func(), err error)) error {
		peak, err := g.Drive(r, atOnce, overloadSlot)
		if err != nil {
			return err
		}
		end, err := misuse()
		if err != nil {
			return err
		}
		o, err := g.Offer(r, factor*peak.PerSecond(), connections, overloadSlot)
		end()
		if err != nil {
			return err
		}
		t.row(times(float64(o.Requests)/o.Took.Seconds()/peak.PerSecond())+what, times(o.PerSecond()/peak.PerSecond()), times(float64(o.Refused)/o.Took.Seconds()/peak.PerSecond()), fmt.Sprint(o.Lost),
			o.Percentile(50).Round(time.Millisecond).String(), o.Percentile(99).Round(time.Millisecond).String(),
			fmt.Sprintf("%.0f %%", 100*float64(peak.CPU)*float64(o.Answered)/float64(o.CPU)), fmt.Sprint(o.Connections), times(float64(o.Peak)/float64(resident)))
		return nil
	}
	for _, offered := range []struct {
		what        string
		factor      float64
		connections int
	}{{"", 0.5, 0}, {"", 1, 0}, {"", 2, 0}, {"", 4, 0}, {fmt.Sprintf(", over %d connections in turn", crowds), 4, crowds}, {"", 0.5, 0}} {
		if err := row(offered.what, offered.factor, offered.connections, func() (func(), error) { return func() {}, nil }); err != nil {
			return err
		}
	}
	for _, misuse := range []struct {
		name string
		n    int
		open func(net.Conn) error
	}{
		{"idle connections", idleConnections(), func(net.Conn) error { return nil }},
		{"bodies of a megabyte that do not end", 500, func(c net.Conn) error {
			_, err := fmt.Fprintf(c, "POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1048000\r\n\r\n%s", strings.Repeat(" ", 1_040_000))
			return err
		}},
		{"bodies of which a byte has come", 500, func(c net.Conn) error {
			_, err := fmt.Fprintf(c, "POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{")
			return err
		}},
		{"answers that nobody reads", 500, func(c net.Conn) error {
			_, err := fmt.Fprintf(c, "POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(r.Body), r.Body)
			return err
		}},
	} {
		err := row(fmt.Sprintf(", beside %d %s", misuse.n, misuse.name), 0.5, 0, func() (func(), error) { return misused(g, misuse.n, misuse.open) })
		if err != nil {
			return err
		}
	}
	return nil
}

// crowded starts a gateway over users who follow each other.
func crowded(ctx context.Context, p *place) (g *loadtest.Gateway, apart bool, err error) {
	users, edges := bytes.NewBufferString("username,name\n"), bytes.NewBufferString("follower,followee\n")
	for i := range crowd {
		fmt.Fprintf(users, "u%d,User %d\n", i, i)
		for k := range follows {
			fmt.Fprintf(edges, "u%d,u%d\n", (i+1+k*k)%crowd, i)
		}
	}
	for name, text := range map[string]*bytes.Buffer{"users.csv": users, "follows.csv": edges} {
		if err := os.WriteFile(p.path(name), text.Bytes(), 0o600); err != nil {
			return nil, false, err
		}
	}
	program, err := p.build(ctx)
	if err != nil {
		return nil, false, err
	}
	store := "embedded:" + p.path("store")
	if out, err := exec.CommandContext(ctx, program, "import", "--store", store, p.path("users.csv"), p.path("follows.csv")).CombinedOutput(); err != nil {
		return nil, false, fmt.Errorf("import: %w\n%s", err, out)
	}
	return loadtest.Apart(func() (*loadtest.Gateway, error) { return p.serve(ctx, program, store) })
}

// idleConnections is ten thousand, or as many as this program may have.
func idleConnections() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 100
	}
	return min(10_000, int(limit.Cur)*6/10)
}

// misused opens connections to the gateway and does with each what open does.
func misused(g *loadtest.Gateway, n int, open func(net.Conn) error) (leave func(), err error) {
	at, err := url.Parse(g.URL)
	if err != nil {
		return nil, err
	}
	var all []net.Conn
	leave = func() {
		for _, c := range all {
			c.Close()
		}
	}
	for range n {
		c, err := net.Dial("tcp", at.Host)
		if err == nil {
			all = append(all, c)
			err = open(c)
		}
		if err != nil {
			leave()
			return nil, err
		}
	}
	return leave, nil
}
