package reconnect

import (
	"slices"
	"sync"
	"time"

	"twibase/hbase/tables"
	"twibase/live"
)

// In a scenario, the older of two twits becomes visible late. A subscriber receives the newer twit
// at one gateway, and reconnects to another.
type scenario struct {
	*fixture
	from, to *gateway
	clock    *gateway // whose clock gave both twits their time
	s        *subscriber
	older    *tables.Twit
	newer    tables.TwitKey
}

// In each of scenarios, a simpler delivery rule would omit the older twit.
var scenarios = []func(*scenario){
	(*scenario).olderIsDeliveredDuringReconnect,
	(*scenario).olderIsDeliveredDuringFirstPoll,
	(*scenario).olderIsDeliveredDuringPoll,
	(*scenario).rowOfOlderFails,
	(*scenario).authorOfOlderFails,
	(*scenario).storeFails,
	(*scenario).olderIsDeletedWhileStoreFails,
}

func (f *fixture) run(play func(*scenario)) {
	gateways := slices.Clone(f.gateways)
	f.random.Shuffle(len(gateways), func(i, j int) { gateways[i], gateways[j] = gateways[j], gateways[i] })
	c := &scenario{fixture: f, from: gateways[0], to: gateways[1], clock: oneOf(f.random, gateways...),
		s: f.subscriber(live.Timeline)}
	for _, g := range f.gateways {
		g.store.heal()
	}
	connected := f.subscriber(live.Timeline)
	var running sync.WaitGroup
	running.Go(func() { connected.subscribe(f.ctx, c.to, 1000, 3*time.Minute) })
	base := f.newTwit(author, c.from)
	f.post(base)
	f.deliver(base.Key())
	time.Sleep(deliveryTime)
	c.s.after, c.s.received[base.Key()] = base.Key(), true
	play(c)
	if visible, _ := f.visible(live.Timeline, c.older.Key()); visible && !c.s.received[c.older.Key()] {
		f.Errorf("the subscriber that reconnected missed %s", c.older.Name)
	}
	running.Wait()
}

func (c *scenario) postNew(by string) *tables.Twit {
	t := c.newTwit(by, c.clock)
	c.postAndDeliver(t)
	return t
}

func (c *scenario) postAndDeliver(t *tables.Twit) {
	c.post(t)
	if t.AuthorName != broadcaster {
		c.deliver(t.Key())
	}
}

func (c *scenario) postNewer(by string) {
	newer := c.newTwit(by, c.clock)
	c.mu.Lock()
	c.newer = newer.Key()
	c.mu.Unlock()
	c.postAndDeliver(newer)
}

func (c *scenario) connect() (awaitNewer func()) {
	c.s.stop = func(key tables.TwitKey) bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return key == c.newer
	}
	var connection sync.WaitGroup
	connection.Go(func() { c.s.subscribe(c.ctx, c.from, 1000, 3*time.Minute) })
	time.Sleep(2 * time.Second)
	return func() {
		connection.Wait()
		c.s.stop = nil
	}
}

func (c *scenario) reconnect() { c.s.subscribe(c.ctx, c.to, 1000, deliveryTime) }

func (c *scenario) olderIsDeliveredDuringReconnect() {
	awaitNewer := c.connect()
	c.older = c.newTwit(oneOf(c.random, author, broadcaster), c.clock)
	time.Sleep(time.Millisecond)
	c.postNewer(author)
	awaitNewer()
	time.Sleep(oneOf(c.random, 0, time.Millisecond, 300*time.Millisecond))
	c.postAndDeliver(c.older)
	time.Sleep(oneOf(c.random, 0, time.Second))
	c.reconnect()
}

func (c *scenario) olderIsDeliveredDuringFirstPoll() {
	awaitNewer := c.connect()
	c.older = c.newTwit(author, c.clock)
	time.Sleep(time.Millisecond)
	c.postNewer(author)
	awaitNewer()
	c.to.store.readRowByRow(1)
	c.to.store.awaitFirstRead("")
	second := c.subscriber(live.Timeline)
	var both sync.WaitGroup
	both.Go(c.reconnect)
	both.Go(func() { second.subscribe(c.ctx, c.to, 1000, deliveryTime) })
	time.Sleep(time.Millisecond)
	c.postAndDeliver(c.newTwit(broadcaster, c.to))
	c.postAndDeliver(c.older)
	time.Sleep(deliveryTime / 2)
	c.to.store.heal()
	both.Wait()
}

func (c *scenario) olderIsDeliveredDuringPoll() {
	older, newer, row := c.differentRows()
	awaitNewer := c.connect()
	c.from.store.readRowByRow(1)
	c.from.store.awaitFirstRead(row)
	c.older = c.postNew(older)
	time.Sleep(950 * time.Millisecond) // the other gateway polls
	c.postNewer(newer)
	awaitNewer()
	c.reconnect()
}

func (c *scenario) differentRows() (older, newer, row string) {
	if c.random.IntN(2) == 0 {
		return author, broadcaster, tables.Timelines.Row(fan, 0)
	}
	return broadcaster, author, tables.Twits.Row(broadcaster, 0)
}

func (c *scenario) rowOfOlderFails() {
	older, newer, row := c.differentRows()
	c.failDuringPosts(row, older, newer)
}

func (c *scenario) authorOfOlderFails() { c.failDuringPosts(tables.Twits.Row(other, 0), other, author) }

func (c *scenario) storeFails() {
	older, newer, _ := c.differentRows()
	c.failDuringPosts("", older, newer)
}

func (c *scenario) failDuringPosts(row, older, newer string) {
	const outage = 70 * time.Second
	awaitNewer := c.connect()
	c.from.store.fail(row, outage)
	another := c.subscriber(live.Posts)
	time.AfterFunc(outage, func() { another.subscribe(c.ctx, c.from, 1, time.Second) })
	c.older = c.postNew(older)
	time.Sleep(45 * time.Second)
	c.postNewer(newer)
	awaitNewer()
	c.reconnect()
}

func (c *scenario) olderIsDeletedWhileStoreFails() {
	posts := c.subscriber(live.Posts)
	var both sync.WaitGroup
	both.Go(func() { posts.subscribe(c.ctx, c.from, 1000, 2*time.Minute) })
	both.Go(func() { c.s.subscribe(c.ctx, c.from, 1000, 2*time.Minute) })
	time.Sleep(2 * time.Second)
	c.from.store.readRowByRow(1)
	c.from.store.awaitFirstRead(tables.Timelines.Row(fan, 0))
	c.older = c.postNew(author)
	c.from.store.fail("", 45*time.Second)
	time.Sleep(20 * time.Second)
	c.delete(c.older.Key())
	both.Wait()
}
