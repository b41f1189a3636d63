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

// Timelines, and the tide that takes authors over the limit and back.

const (
	// fanoutLimit is that of the gateways. Who went over it comes back with one follower.
	fanoutLimit = 4
	// rests is for how long the job of one who comes back is left alone, and some seconds: docs/FEEDS.md.
	rests = 45 * time.Second
)

// tide is whom all follow now, or leave if it ebbs. It turns with the kills: four times for each author.
func (w *world) tide() (idol *client, ebbs bool) {
	n := int(w.turns.Load())
	return w.clients[n/4%len(w.clients)], n%4 >= 2
}

func actTide(c *client) *op {
	idol, ebbs := c.w.tide()
	if c == idol && c.rand.IntN(2) == 0 {
		return post(c, c.name)
	}
	who := slices.DeleteFunc(append(c.known("user"), c.name), func(name string) bool {
		is, _ := c.is("follow " + name + " " + idol.name)
		return name == idol.name || (is != "") != ebbs
	})
	name, some := c.one(who)
	if !some {
		return nil
	}
	return follow(c, name, idol.name, !ebbs)
}

// readTimelines says first what timelines must show: each twit of those whom the owner follows. The twits and follows of all clients have been compared.
func readTimelines(c *client, w *world) (facts, error) {
	twits := map[string][]string{}
	for _, other := range w.clients {
		for _, content := range other.known("twit") {
			author, _ := other.is("twit " + content)
			twits[author] = append(twits[author], content)
		}
	}
	maps.DeleteFunc(c.facts, func(fact string, _ []string) bool { return strings.HasPrefix(fact, "timeline ") })
	for _, pair := range c.known("follow") {
		owner, author, _ := strings.Cut(pair, " ")
		for _, content := range twits[author] {
			c.facts["timeline "+owner+" "+content] = []string{"1"}
			w.entries.Add(1)
		}
	}
	found := facts{}
	for _, name := range c.everyone() {
		err := w.pages(`query($u:String!,$after:String){user(username:$u){c:timeline(first:100,after:$after){edges{node{content}} pageInfo{hasNextPage endCursor}}}}`,
			map[string]any{"u": name}, []string{"user", "c"}, func(edge any) { found.add("timeline "+name+" "+text(edge, "node", "content"), "1") })
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// crosses notes who went over the limit since it was last looked, and who came back. The gateways have ended.
func (w *world) crosses(t *testing.T) {
	t.Helper()
	var store hbase.Store
	var err error
	if dir, is := strings.CutPrefix(w.store, "embedded:"); is {
		store, err = embedded.Open(dir)
	} else {
		store, err = cluster.Open(t.Context(), w.store, zerolog.Nop())
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
		is, _, err := tables.Broadcasters.State(results[0].Cells[i : i+1])
		if err != nil {
			t.Fatal(err)
		}
		was := w.states[cell.Qualifier]
		_, leaving := is.Leaving()
		switch w.states[cell.Qualifier] = is; {
		case is == was:
		case is == tables.Merged:
			w.over++
		case leaving && was != tables.Merged:
			w.over++
			w.back++
		case leaving || was == tables.Merged:
			w.back++
		}
	}
}

// rest waits for those who come back, and proves once more that the store is whole: what they posted could not be looked at before.
func (w *world) rest(t *testing.T) {
	t.Helper()
	if len(w.faults) > 0 || !w.waits {
		return
	}
	w.start(t)
	time.Sleep(rests)
	if w.proven(t); w.waits {
		t.Errorf("jobs wait still")
	}
}
