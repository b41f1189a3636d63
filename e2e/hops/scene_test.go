package hops

import (
	"slices"
	"sync"
	"time"

	"twibase/hbase/tables"
	"twibase/live"
)

// scene is one in which somebody is told of a twit at one gateway and goes to another one, while an older twit is about to come.
type scene struct {
	*world
	from, to *gateway
	clock    *gateway     // by whose clock both were posted
	s        *subscriber  // who goes
	x        *tables.Twit // the older one
	y        tables.TwitKey
}

// scenes are all there are. In each of them a rule that sounds right leaves x out.
var scenes = []func(*scene){
	(*scene).xComesLate,
	(*scene).xComesWhileTheOtherLooks,
	(*scene).xComesWhileOneLooks,
	(*scene).xIsInALostRow,
	(*scene).xCannotBeSeen,
	(*scene).theStoreIsLost,
	(*scene).xIsGoneBeforeItIsSeen,
}

// plays plays one, beside somebody who stays at the gateway to which the subscriber goes, so that it knows what comes.
func (w *world) plays(play func(*scene)) {
	places := slices.Clone(w.gateways)
	w.random.Shuffle(len(places), func(i, j int) { places[i], places[j] = places[j], places[i] })
	c := &scene{world: w, from: places[0], to: places[1], clock: oneOf(w.random, places...), s: w.subscriber(live.Timeline)}
	for _, g := range w.gateways {
		g.link.heals()
	}
	stays := w.subscriber(live.Timeline)
	var running sync.WaitGroup
	running.Go(func() { stays.visit(w.ctx, c.to, 1000, 3*time.Minute) })
	base := w.decides(author, c.from)
	w.posts(base)
	w.arrives(base.Key())
	time.Sleep(settled)
	c.s.after, c.s.heard[base.Key()] = base.Key(), true
	play(c)
	if sees, _ := w.visible(live.Timeline, c.x.Key()); sees && !c.s.heard[c.x.Key()] {
		w.Errorf("who went from one gateway to another was not told of %s", c.x.Name)
	}
	running.Wait()
}

// comes makes a twit and lets it come.
func (c *scene) comes(by string) *tables.Twit {
	t := c.decides(by, c.clock)
	c.brings(t)
	return t
}

func (c *scene) brings(t *tables.Twit) {
	c.posts(t)
	if t.AuthorName != broadcaster {
		c.arrives(t.Key())
	}
}

// xThenY lets both come, y a while after x.
func (c *scene) xThenY(x, y string, while time.Duration) {
	c.x = c.comes(x)
	time.Sleep(while)
	c.last(y)
}

// last lets y come.
func (c *scene) last(by string) {
	y := c.decides(by, c.clock)
	c.mu.Lock()
	c.y = y.Key()
	c.mu.Unlock()
	c.brings(y)
}

// listens begins to listen at the first gateway. What is returned waits until y was told there.
func (c *scene) listens() (told func()) {
	c.s.leaves = func(key tables.TwitKey) bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return key == c.y
	}
	var one sync.WaitGroup
	one.Go(func() { c.s.visit(c.ctx, c.from, 1000, 3*time.Minute) })
	time.Sleep(2 * time.Second)
	return func() {
		one.Wait()
		c.s.leaves = nil
	}
}

// goes goes to the other gateway.
func (c *scene) goes() { c.s.visit(c.ctx, c.to, 1000, settled) }

// xComesLate lets x come when the subscriber is on the way.
func (c *scene) xComesLate() {
	told := c.listens()
	c.x = c.decides(oneOf(c.random, author, broadcaster), c.clock)
	time.Sleep(time.Millisecond)
	c.last(author)
	told()
	time.Sleep(oneOf(c.random, 0, time.Millisecond, 300*time.Millisecond))
	c.brings(c.x)
	time.Sleep(oneOf(c.random, 0, time.Second))
	c.goes()
}

// xComesWhileTheOtherLooks lets x come, and something else, when two have subscribed and wait for the look that they join with.
func (c *scene) xComesWhileTheOtherLooks() {
	told := c.listens()
	c.x = c.decides(author, c.clock)
	time.Sleep(time.Millisecond)
	c.last(author)
	told()
	c.to.link.tears(1)
	c.to.link.reads("")
	second := c.subscriber(live.Timeline) // who missed nothing
	var both sync.WaitGroup
	both.Go(c.goes)
	both.Go(func() { second.visit(c.ctx, c.to, 1000, settled) })
	time.Sleep(time.Millisecond)
	c.brings(c.decides(broadcaster, c.to))
	c.brings(c.x)
	time.Sleep(settled / 2)
	c.to.link.heals()
	both.Wait()
}

// xComesWhileOneLooks lets x come to a row that was read just before, and y to one that is still to be read.
func (c *scene) xComesWhileOneLooks() {
	x, y, row := c.apart()
	told := c.listens()
	c.from.link.tears(1)
	c.from.link.reads(row)
	c.xThenY(x, y, 950*time.Millisecond) // the other gateway looks meanwhile
	told()
	c.goes()
}

// apart are authors of x and y such that both come into different rows, and that of x.
func (c *scene) apart() (x, y, row string) {
	if c.random.IntN(2) == 0 {
		return author, broadcaster, tables.Timelines.Row(fan, 0)
	}
	return broadcaster, author, tables.Twits.Row(broadcaster, 0)
}

// xIsInALostRow lets x come to a row that the first gateway can't read for long.
func (c *scene) xIsInALostRow() {
	x, y, row := c.apart()
	c.loses(row, x, y)
}

// xCannotBeSeen lets x come, of whose author nothing can be read.
func (c *scene) xCannotBeSeen() { c.loses(tables.Twits.Row(other, 0), other, author) }

// theStoreIsLost lets both come when the first gateway can't read anything, and then somebody subscribe to something else there.
func (c *scene) theStoreIsLost() {
	x, y, _ := c.apart()
	c.loses("", x, y)
}

// xIsGoneBeforeItIsSeen loses the store when x has been read and not been seen, and deletes x meanwhile.
func (c *scene) xIsGoneBeforeItIsSeen() {
	posts := c.subscriber(live.Posts)
	var both sync.WaitGroup
	both.Go(func() { posts.visit(c.ctx, c.from, 1000, 2*time.Minute) })
	both.Go(func() { c.s.visit(c.ctx, c.from, 1000, 2*time.Minute) })
	time.Sleep(2 * time.Second)
	c.from.link.tears(1)
	c.from.link.reads(tables.Timelines.Row(fan, 0))
	c.x = c.comes(author)
	c.from.link.breaks("", 45*time.Second)
	time.Sleep(20 * time.Second)
	c.deletes(c.x.Key())
	both.Wait()
}

func (c *scene) loses(row, x, y string) {
	const long = 70 * time.Second
	told := c.listens()
	c.from.link.breaks(row, long)
	joins := c.subscriber(live.Posts)
	time.AfterFunc(long, func() { joins.visit(c.ctx, c.from, 1, time.Second) })
	c.xThenY(x, y, 45*time.Second)
	told()
	c.goes()
}
