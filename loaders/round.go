package loaders

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"twibase/hbase"
)

// Round is what was read at one time: a call of the store with many Gets, a scan, or a call by a writer.
type Round struct {
	// Fields are the fields that asked, and Loaders those which they asked, both sorted.
	Fields  []string
	Loaders []Use
	// Stats are the cost of this round alone.
	Stats *hbase.Stats
	// Took is how long the store took.
	Took time.Duration
	// Fallback is whether the timer sent it: see [Fallbacks].
	Fallback bool

	begun   time.Time
	answers []*answer // nil but for loaders
	writer  string    // empty but for writers
}

// Use is what a round did for one loader.
type Use struct {
	Loader string
	// Keys counts what the loader was asked for and had from this round, then or later. Hits of them it had been asked for before.
	Keys, Hits int
	// Gets is what was sent for the others. One that serves several loaders counts for the first of them by name.
	Gets int
	// Took is the time from when the loader was first asked until the round was answered.
	Took time.Duration
}

// tally is what is being counted of a round.
type tally struct {
	fields map[string]bool
	uses   map[string]*Use
}

// evaluate tells all rounds what they were for.
func (w *watch) evaluate() []*Round {
	type key struct {
		loader string
		get    hbase.Get
	}
	tallies, known, first := map[*Round]*tally{}, map[key]bool{}, map[hbase.Get]string{}
	for _, a := range w.asks {
		if a.scan != nil {
			tallyOf(tallies, a.scan).use(a, a.scan)
		}
		for _, asked := range a.requests {
			g := asked.whole()
			r := w.of[g]
			if r == nil {
				continue // it was never answered
			}
			u := tallyOf(tallies, r).use(a, r)
			u.Keys++
			if known[key{a.loader, g}] {
				u.Hits++
			}
			known[key{a.loader, g}] = true
			if first[g] == "" || a.loader < first[g] {
				first[g] = a.loader
			}
		}
	}
	for _, r := range w.rounds {
		if r.writer != "" {
			r.Loaders = []Use{{Loader: r.writer, Gets: int(r.Stats.Gets.Load()), Took: r.Took}}
			continue
		}
		t := tallyOf(tallies, r)
		if r.answers != nil {
			t.share(r, first)
		}
		r.Fields = slices.Sorted(maps.Keys(t.fields))
		r.Loaders = make([]Use, 0, len(t.uses))
		for _, u := range t.uses {
			r.Loaders = append(r.Loaders, *u)
		}
		slices.SortFunc(r.Loaders, func(a, b Use) int { return cmp.Compare(a.Loader, b.Loader) })
	}
	all := slices.Concat(w.past, w.rounds)
	slices.SortStableFunc(all, func(a, b *Round) int { return a.begun.Compare(b.begun) })
	return all
}

func tallyOf(all map[*Round]*tally, r *Round) *tally {
	if all[r] == nil {
		all[r] = &tally{map[string]bool{}, map[string]*Use{}}
	}
	return all[r]
}

func (t *tally) use(a asked, r *Round) *Use {
	t.fields[a.field] = true
	u := t.uses[a.loader]
	if u == nil {
		u = &Use{Loader: a.loader, Took: r.begun.Add(r.Took).Sub(a.at)}
		t.uses[a.loader] = u
	}
	return u
}

// share counts each Get that was sent for one of the loaders that it served.
func (t *tally) share(r *Round, first map[hbase.Get]string) {
	whose := make([]string, len(r.answers[0].in.gets))
	for _, a := range r.answers {
		if loader := first[a.whole()]; whose[a.at] == "" || loader < whose[a.at] {
			whose[a.at] = loader
		}
	}
	for _, loader := range whose {
		t.uses[loader].Gets++
	}
}
