package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"twibase/e2e/loadtest"
)

const (
	graphUsers      = 1000
	follows         = 50
	overloadQuery   = `{user(username:"u7"){name followers(first:50){nodes{name followers(first:20){nodes{name}}}}}}`
	overloadSlot    = 5 * time.Second
	waitingClients  = 8
	manyConnections = 4000
)

func overload(ctx context.Context, _ *dataset) error {
	p, err := newWorkspace()
	if err != nil {
		return err
	}
	defer p.close()
	g, apart, err := startFollowGraph(ctx, p)
	if err != nil {
		return err
	}
	r := loadtest.Request{Body: []byte(`{"query":` + strconv.Quote(overloadQuery) + `}`)}
	if r.Want, err = g.Response(r); err != nil {
		return err
	}
	if _, err := g.Drive(r, waitingClients, overloadSlot); err != nil {
		return err
	}
	resident, err := g.Resident()
	if err != nil {
		return err
	}
	processors := "on the processors of the clients"
	if apart {
		processors = "on half of the processors, and the clients on the other"
	}
	t := newTable("One gateway, embedded store, "+processors+"; relative to its capacity just before",
		"offered", "answered", "rejected", "lost", "p50", "p99", "useful CPU", "connections", "memory")
	defer t.end()
	// The capacity is measured for each row, because it changes on a shared machine.
	row := func(what string, factor float64, connections int, misuse func() (end func(), err error)) error {
		peak, err := g.Drive(r, waitingClients, overloadSlot)
		if err != nil {
			return err
		}
		end, err := misuse()
		if err != nil {
			return err
		}
		o, err := g.SendAtRate(r, factor*peak.PerSecond(), connections, overloadSlot)
		end()
		if err != nil {
			return err
		}
		t.row(times(float64(o.Requests)/o.Took.Seconds()/peak.PerSecond())+what, times(o.PerSecond()/peak.PerSecond()),
			times(float64(o.Rejected)/o.Took.Seconds()/peak.PerSecond()), fmt.Sprint(o.Lost),
			o.Percentile(50).Round(time.Millisecond).String(), o.Percentile(99).Round(time.Millisecond).String(),
			fmt.Sprintf("%.0f %%", 100*float64(peak.CPU)*float64(o.Answered)/float64(o.CPU)), fmt.Sprint(o.Connections),
			times(float64(o.Peak)/float64(resident)))
		return nil
	}
	for _, offered := range []struct {
		what        string
		factor      float64
		connections int
	}{{"", 0.5, 0}, {"", 1, 0}, {"", 2, 0}, {"", 4, 0}, {fmt.Sprintf(", over %d connections in turn",
		manyConnections), 4, manyConnections}, {"", 0.5, 0}} {
		if err := row(offered.what, offered.factor, offered.connections,
			func() (func(), error) { return func() {}, nil }); err != nil {
			return err
		}
	}
	for _, misuse := range []struct {
		name string
		n    int
		open func(net.Conn) error
	}{
		{"idle connections", idleConnections(), func(net.Conn) error { return nil }},
		{"incomplete bodies of a megabyte", 500, func(c net.Conn) error { return sendBody(c, 1_048_000, strings.Repeat(" ", 1_040_000)) }},
		{"bodies of one byte so far", 500, func(c net.Conn) error { return sendBody(c, 1000, "{") }},
		{"unread responses", 500, func(c net.Conn) error { return sendBody(c, len(r.Body), string(r.Body)) }},
	} {
		err := row(fmt.Sprintf(", with %d %s", misuse.n, misuse.name), 0.5, 0, func() (func(), error) {
			return openConnections(g, misuse.n, misuse.open)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func sendBody(c net.Conn, length int, body string) error {
	_, err := fmt.Fprintf(c, "POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"+
		"Content-Length: %d\r\n\r\n%s", length, body)
	return err
}

func startFollowGraph(ctx context.Context, p *workspace) (g *loadtest.Gateway, apart bool, err error) {
	program, store, err := p.importFollowGraph(ctx)
	if err != nil {
		return nil, false, err
	}
	return loadtest.StartApart(func() (*loadtest.Gateway, error) { return p.serve(ctx, program, store) })
}

func (p *workspace) importFollowGraph(ctx context.Context) (program, store string, err error) {
	users, edges := bytes.NewBufferString("username,name\n"), bytes.NewBufferString("follower,followee\n")
	for i := range graphUsers {
		fmt.Fprintf(users, "u%d,User %d\n", i, i)
		for k := range follows {
			fmt.Fprintf(edges, "u%d,u%d\n", (i+1+k*k)%graphUsers, i)
		}
	}
	return p.importUsers(ctx, users, edges)
}

func idleConnections() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 100
	}
	return min(10_000, int(limit.Cur)*6/10)
}

func openConnections(g *loadtest.Gateway, n int, open func(net.Conn) error) (closeAll func(), err error) {
	at, err := url.Parse(g.URL)
	if err != nil {
		return nil, err
	}
	var all []net.Conn
	closeAll = func() {
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
			closeAll()
			return nil, err
		}
	}
	return closeAll, nil
}
