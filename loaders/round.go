package loaders

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"twibase/hbase"
)

// Round is a call of the store: a batch of Gets, a scan, or a call by a writer.
type Round struct {
	// Fields are the fields that asked for it, and Loaders the loaders that they asked. Both are
	// sorted.
	Fields  []string
	Loaders []Use
	// Stats is the cost of this round alone.
	Stats *hbase.Stats
	// Took is how long the store took.
	Took time.Duration
	// Fallback is set if the watchdog failed it: see [Watchdog].
	Fallback bool

	begun  time.Time
	reads  []*read // of a batch
	gets   int     // how many Gets the batch sent
	writer string  // empty unless a writer made the call
}

// Use is the part of a round that served one loader.
type Use struct {
	Loader string
	// Keys counts what the loader was asked for and this round answered, then or later. Hits of
	// these had been asked for before.
	Keys, Hits int
	// Gets is what was sent for the others. A Get that serves several loaders counts for the first
	// of them by name.
	Gets int
	// Took is the time from the first call of the loader until the round was answered.
	Took time.Duration
}

// tally counts what a round did.
type tally struct {
	fields map[string]bool
	uses   map[string]*Use
}

// evaluate returns all rounds, with what they were for.
func (t *trace) evaluate() []*Round {
	type key struct {
		loader string
		get    hbase.Get
	}
	tallies, known, first := map[*Round]*tally{}, map[key]bool{}, map[hbase.Get]string{}
	for _, c := range t.calls {
		if c.scan != nil {
			tallyOf(tallies, c.scan).use(c, c.scan)
			continue
		}
		for i := range c.set.reads {
			g := c.set.reads[i].get()
			r := t.of[g]
			if r == nil {
				continue // it was never answered
			}
			u := tallyOf(tallies, r).use(c, r)
			u.Keys++
			if known[key{c.loader, g}] {
				u.Hits++
			}
			known[key{c.loader, g}] = true
			if first[g] == "" || c.loader < first[g] {
				first[g] = c.loader
			}
		}
	}
	for _, r := range t.rounds {
		if r.writer != "" {
			r.Loaders = []Use{{Loader: r.writer, Gets: int(r.Stats.Gets.Load()), Took: r.Took}}
			continue
		}
		counted := tallyOf(tallies, r)
		if r.reads != nil {
			counted.share(r, first)
		}
		r.Fields = slices.Sorted(maps.Keys(counted.fields))
		r.Loaders = make([]Use, 0, len(counted.uses))
		for _, u := range counted.uses {
			r.Loaders = append(r.Loaders, *u)
		}
		slices.SortFunc(r.Loaders, func(a, b Use) int { return cmp.Compare(a.Loader, b.Loader) })
	}
	all := slices.Concat(t.past, t.rounds)
	slices.SortStableFunc(all, func(a, b *Round) int { return a.begun.Compare(b.begun) })
	return all
}

func tallyOf(all map[*Round]*tally, r *Round) *tally {
	if all[r] == nil {
		all[r] = &tally{map[string]bool{}, map[string]*Use{}}
	}
	return all[r]
}

func (t *tally) use(c call, r *Round) *Use {
	t.fields[c.field] = true
	u := t.uses[c.loader]
	if u == nil {
		u = &Use{Loader: c.loader, Took: r.begun.Add(r.Took).Sub(c.at)}
		t.uses[c.loader] = u
	}
	return u
}

// share counts each Get that was sent for one of the loaders that it served.
func (t *tally) share(r *Round, first map[hbase.Get]string) {
	whose := make([]string, r.gets)
	for _, a := range r.reads {
		if loader := first[a.get()]; whose[a.slot] == "" || loader < whose[a.slot] {
			whose[a.slot] = loader
		}
	}
	for _, loader := range whose {
		t.uses[loader].Gets++
	}
}
