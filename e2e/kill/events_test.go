//go:build linux

package kill

import (
	"flag"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"twibase/hbase/hbasetest/minihbase"
	"twibase/hbase/tables"
)

var events = flag.String("events", "", "measure the outages of the events whose names match, and print a table")

const (
	registers  = 8
	perGateway = 4
	held       = 3 * time.Second
	// settled is the time that all streams must succeed after an event.
	settled = 3 * time.Second
	// mostAfterHBase is the time that gateways may fail after HBase's own client has recovered,
	// because they probe failing regions once a second.
	mostAfterHBase = 2 * time.Second
)

type event struct {
	name string
	do   func(c *trial)
}

var clusterEvents = []event{
	{"no event", func(*trial) { time.Sleep(held) }},
	{"a region of `users` moves", func(c *trial) { c.on("move %s", c.register(0)) }},
	{"it is split", func(c *trial) { c.on("split %s", c.register(0)) }},
	{"two regions of `users` are merged", func(c *trial) { c.on("merge %s", tables.Users.Table) }},
	{"`hbase:meta` moves", func(c *trial) { c.on("move %s", metaRow) }},
	{"`users` is flushed", func(c *trial) { c.on("flush %s", tables.Users.Table) }},
	{"major compaction of `users`", func(c *trial) { c.on("compact %s", tables.Users.Table) }},
	{"snapshot of `users`", func(c *trial) { c.on("snapshot %s", tables.Users.Table) }},
	{"`users` is disabled for 20 s", func(c *trial) {
		c.hold(20*time.Second, "disable "+tables.Users.Table, "enable "+tables.Users.Table)
	}},
	{"`users` is read-only for 3 s", func(c *trial) {
		c.hold(held, "readonly "+tables.Users.Table+" true", "readonly "+tables.Users.Table+" false")
	}},
	{"a quota of `users` is exceeded for 3 s", func(c *trial) {
		c.hold(held, "throttle "+tables.Users.Table+" 5", "unthrottle "+tables.Users.Table)
	}},
	{"the master is killed, and a new one is started", func(c *trial) {
		c.h.KillMaster()
		c.must(c.h.StartMaster())
	}},
	{"ZooKeeper is killed, and started again", func(c *trial) {
		c.h.KillZooKeeper()
		c.must(c.h.StartZooKeeper(c.t.Context()))
	}},
	{"a region server gets SIGTERM", func(c *trial) { c.end(c.register(0), c.h.TerminateServer) }},
	{"a region server is killed", func(c *trial) { c.end(c.register(1), c.h.KillServer) }},
	{"the region server of `hbase:meta` is killed", func(c *trial) { c.end(metaRow, c.h.KillServer) }},
	{"the balancer runs", func(c *trial) { c.on("balance") }},
}

const metaRow = "hbase:meta 00"

func TestOutagesAtClusterEventsAreMeasured(t *testing.T) {
	if *events == "" {
		t.Skip("it takes minutes: make events")
	}
	selected, err := regexp.Compile(*events)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("-seed %d", *seed)
	settings := minihbase.Security{Settings: []string{
		"hbase.quota.enabled=true", "hbase.quota.refresh.period=300",
		// The balancer must stop before the client repeats its RPC: the default is five minutes.
		"hbase.balancer.max.balancing=10000",
	}}
	h, err := minihbase.StartDistributedSecured(t.Context(), t.TempDir(), settings)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Kill)
	c := &trial{t: t, h: h, f: newFixture(t, h.URL(), 2, registers, *seed)}
	c.f.start(t)
	var names []string
	for i := range registers {
		names = append(names, fmt.Sprint("u", i))
	}
	c.hbase = startWitness(t, h, names)
	c.start()
	defer c.stop()
	c.await(time.Now())
	table := "| event | HBase: reads | writes | gateways: reads | writes | after HBase: reads | writes | wrong |\n" +
		"|---|---|---|---|---|---|---|---|\n"
	for _, e := range clusterEvents {
		if !selected.MatchString(e.name) {
			continue
		}
		line := c.measure(e)
		t.Log(line)
		table += line + "\n"
	}
	c.stop()
	time.Sleep(recoveryTime)
	c.checkRegisters()
	c.f.verify(t)
	fmt.Print(table)
}

type trial struct {
	t       *testing.T
	h       *minihbase.Distributed
	f       *fixture
	hbase   *witness
	reads   group
	writes  group
	values  [registers]register
	wrong   atomic.Int64
	stopped atomic.Bool
	running sync.WaitGroup
}

// register is a user whose name counts the writes of one client.
type register struct{ sent, acknowledged atomic.Int64 }

func (c *trial) register(i int) string {
	return fmt.Sprintf("%s %x", tables.Users.Table, tables.RowKey(fmt.Sprint("u", i)))
}

func (c *trial) must(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

func (c *trial) on(format string, args ...any) {
	c.t.Helper()
	c.t.Log(c.hbase.do(c.t, format, args...))
}

func (c *trial) hold(d time.Duration, begin, end string) {
	c.t.Helper()
	c.hbase.do(c.t, "%s", begin)
	time.Sleep(d)
	c.hbase.do(c.t, "%s", end)
}

func (c *trial) end(row string, by func(server int)) {
	c.t.Helper()
	port := c.hbase.do(c.t, "server %s", row)
	for i := range c.h.Servers() {
		if port == strconv.Itoa(c.h.Port(i)) {
			by(i)
			c.must(c.h.StartServer(i))
			return
		}
	}
	c.t.Fatalf("no server has port %s", port)
}

func (c *trial) start() {
	c.reads, c.writes = newGroup(len(c.f.gateways)), newGroup(registers)
	query := "{"
	for i := range registers {
		query += fmt.Sprintf("u%d:user(username:\"u%d\"){name}", i, i)
	}
	query += "}"
	for g := range c.f.gateways {
		for range perGateway {
			c.repeat(100*time.Millisecond, func() { c.read(g, query) })
		}
	}
	for i := range registers {
		c.repeat(50*time.Millisecond, func() { c.write(i) })
	}
	for _, client := range c.f.clients[:2] {
		c.running.Go(func() { client.run(&c.stopped) })
	}
}

func (c *trial) repeat(pause time.Duration, do func()) {
	c.running.Go(func() {
		for !c.stopped.Load() {
			do()
			time.Sleep(pause)
		}
	})
}

func (c *trial) stop() {
	c.stopped.Store(true)
	c.running.Wait()
}

func (c *trial) errorf(format string, args ...any) {
	c.wrong.Add(1)
	c.f.errorf(format, args...)
}

// A value must not be older than the last write that was acknowledged before the read, or newer
// than the last write sent.
func (c *trial) read(gateway int, query string) {
	var oldest [registers]int64
	for i := range oldest {
		oldest[i] = c.values[i].acknowledged.Load()
	}
	data, errs, err := c.f.query(gateway, "", query, nil)
	if err != nil {
		return
	}
	for _, e := range errs {
		// If there are too many errors, the last one has their number.
		if _, many := dig(e, "extensions", "actual").(float64); !many && !isUnavailable(e) {
			c.errorf("reading: %v", e)
		}
	}
	for i := range oldest {
		name := fmt.Sprint("u", i)
		value := text(data, name, "name")
		n, err := strconv.ParseInt(strings.TrimPrefix(value, "u"), 10, 64)
		switch newest := c.values[i].sent.Load(); {
		case value == "" && len(errs) > 0:
		case value == name && oldest[i] == 0: // as imported
		case err != nil || n < oldest[i] || n > newest:
			c.errorf("the name of %s is %q, want one from %d to %d", name, value, oldest[i], newest)
		}
	}
	if len(errs) == 0 {
		c.reads[gateway].succeed()
	}
}

func (c *trial) write(i int) {
	n := c.values[i].sent.Add(1)
	data, errs, err := c.f.query(int(n)%len(c.f.gateways), "",
		fmt.Sprintf(`mutation{updateUser(input:{username:"u%d",name:"%d"}){userErrors{message}}}`, i, n), nil)
	switch payload := dig(data, "updateUser"); {
	case err != nil:
	case len(errs) == 0 && payload != nil && len(list(dig(payload, "userErrors"))) == 0:
		c.values[i].acknowledged.Store(n)
		c.writes[i].succeed()
	case len(errs) == 0 || !isUnavailable(errs[0]):
		c.errorf("writing u%d: %v, %v", i, data, errs)
	}
}

func (c *trial) checkRegisters() {
	for i := range c.values {
		user, err := c.f.object(fmt.Sprintf("user(username:\"u%d\"){name}", i))
		n, _ := strconv.ParseInt(text(user, "name"), 10, 64)
		if acknowledged, sent := c.values[i].acknowledged.Load(), c.values[i].sent.Load(); n < acknowledged || n > sent {
			c.f.errorf("the name of u%d is %v, want one from %d to %d; error %v", i, user, acknowledged, sent, err)
		}
	}
}

func (c *trial) measure(e event) string {
	c.t.Helper()
	wrong := c.wrong.Load()
	c.f.phase.Add(1)
	begun := time.Now()
	e.do(c)
	c.await(begun)
	line := "| " + e.name
	var after string
	for _, streams := range []group{c.hbase.reads, c.hbase.writes} {
		total, _ := streams.outage(begun)
		line += seconds(total)
	}
	for i, streams := range []group{c.reads, c.writes} {
		total, end := streams.outage(begun)
		line += seconds(total)
		hbase, hbaseEnd := []group{c.hbase.reads, c.hbase.writes}[i].outage(begun)
		if hbase > 0 {
			total = max(0, end.Sub(hbaseEnd))
		}
		if after += seconds(total); total > mostAfterHBase {
			c.t.Errorf("%s: %s of gateways succeed %v after HBase's, want at most %v", e.name,
				[]string{"reads", "writes"}[i], total, mostAfterHBase)
		}
	}
	return line + after + fmt.Sprintf(" | %d |", c.wrong.Load()-wrong)
}

func seconds(d time.Duration) string { return fmt.Sprintf(" | %.1f", d.Seconds()) }

func (c *trial) await(begun time.Time) {
	c.t.Helper()
	for since := time.Now(); time.Since(since) < settled; time.Sleep(100 * time.Millisecond) {
		for i, streams := range []group{c.hbase.reads, c.hbase.writes, c.reads, c.writes} {
			total, end := streams.outage(since)
			if total == 0 || time.Since(end) >= settled {
				continue
			}
			if since = time.Now(); since.Sub(begun) > recoveryTimeout {
				c.t.Fatalf("%s fail after %v: %s", []string{"reads of HBase's client", "writes of HBase's client",
					"reads of gateways", "writes of gateways"}[i], recoveryTimeout, c.f.gateways[0].logTail())
			}
		}
	}
}
