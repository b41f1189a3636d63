//go:build linux

package kill

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"twibase/hbase"
	"twibase/hbase/cluster"
	"twibase/hbase/embedded"
	"twibase/hbase/tables"
)

const (
	// With one follower, a broadcaster becomes an ordinary author again.
	fanoutLimit = 4
	// quarantine is at least the delay of the job of an author who stops being a broadcaster:
	// docs/FEEDS.md.
	quarantine = 45 * time.Second
)

// Each author has two phases of follows, then two of unfollows, to become a broadcaster and an
// ordinary author again.
func (f *fixture) popular() (author *client, unfollow bool) {
	n := int(f.phase.Load())
	return f.clients[n/4%len(f.clients)], n%4 >= 2
}

func mutateTimeline(c *client) *mutation {
	author, unfollows := c.f.popular()
	if c == author && c.rand.IntN(2) == 0 {
		return postTwit(c, c.name)
	}
	candidates := slices.DeleteFunc(append(c.existing("user"), c.name), func(name string) bool {
		value, _ := c.value("follow " + name + " " + author.name)
		return name == author.name || (value != "") != unfollows
	})
	name, found := c.pick(candidates)
	switch {
	case !found:
		return nil
	case unfollows:
		return unfollow(name, author.name)
	}
	return follow(c, name, author.name)
}

// readTimelines also sets the expected facts: all twits of followed authors.
func readTimelines(c *client) (facts, error) {
	twits := map[string][]string{}
	for _, other := range c.f.clients {
		for _, content := range other.existing("twit") {
			author, _ := other.value("twit " + content)
			twits[author] = append(twits[author], content)
		}
	}
	maps.DeleteFunc(c.facts, func(fact string, _ []string) bool { return strings.HasPrefix(fact, "timeline ") })
	for _, pair := range c.existing("follow") {
		owner, author, _ := strings.Cut(pair, " ")
		for _, content := range twits[author] {
			c.facts["timeline "+owner+" "+content] = []string{"1"}
			c.f.timelineEntries.Add(1)
		}
	}
	found := facts{}
	return found, c.readLists("timeline", "node{content}", func(username string, edge any) {
		found.add("timeline "+username+" "+text(edge, "node", "content"), "1")
	})
}

// countBroadcasters opens the embedded store, so no gateway may run.
func (f *fixture) countBroadcasters(t *testing.T) {
	t.Helper()
	var store hbase.Store
	var err error
	if dir, found := strings.CutPrefix(f.store, "embedded:"); found {
		store, err = embedded.Open(dir)
	} else {
		store, err = cluster.Open(t.Context(), f.store, zerolog.Nop(), f.options...)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	results, err := store.Get(t.Context(), []hbase.Get{tables.Broadcasters.Get()})
	if err != nil || results[0].Err != nil {
		t.Fatal(err, results)
	}
	for i, cell := range results[0].Cells {
		state, _, err := tables.Broadcasters.State(results[0].Cells[i : i+1])
		if err != nil {
			t.Fatal(err)
		}
		was := f.broadcasts[cell.Qualifier]
		_, leaving := state.Leaving()
		switch f.broadcasts[cell.Qualifier] = state; {
		case state == was:
		case state == tables.Merged:
			f.becameBroadcaster++
		case leaving && was != tables.Merged:
			f.becameBroadcaster++
			f.stoppedBroadcasting++
		case leaving || was == tables.Merged:
			f.stoppedBroadcasting++
		}
	}
}

// finishJobs also verifies twits of jobs in quarantine.
func (f *fixture) finishJobs(t *testing.T) {
	t.Helper()
	if len(f.failures) > 0 || !f.jobsPending {
		return
	}
	f.start(t)
	time.Sleep(quarantine)
	if f.verify(t); f.jobsPending {
		t.Errorf("jobs are pending after %v", quarantine)
	}
}
