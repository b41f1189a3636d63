package invariant

import (
	"context"
	"fmt"

	"twibase/hbase"
)

// Breach is something that does not follow from the truth.
type Breach struct {
	// What names the invariant, Of whose it is.
	What, Of string
	Text     string
}

// String implements fmt.Stringer.
func (b Breach) String() string { return fmt.Sprintf("%s of %q: %s", b.What, b.Of, b.Text) }

// check is one proof that runs over the store.
type check struct {
	store  hbase.Store
	report func(Breach)
	// lists are what lists should hold and hold, owners what else was learned of objects.
	lists map[listOf]*tally
	known map[thing]bool
}

// thing is an object by its table and key.
type thing struct{ table, key string }

// Check reads the whole store and calls report, from this goroutine, with each breach, in no certain order. It remembers every object and the
// length of every list, but no member: of those it compares sums of hashes.
func Check(ctx context.Context, store hbase.Store, report func(Breach)) error {
	c := &check{store: store, report: report, lists: map[listOf]*tally{}, known: map[thing]bool{}}
	for _, prove := range []func(context.Context) error{c.objects, c.relations, c.members, c.intents} {
		if err := prove(ctx); err != nil {
			return err
		}
	}
	c.compare()
	return nil
}

func (c *check) breach(what, of, format string, args ...any) {
	c.report(Breach{what, of, fmt.Sprintf(format, args...)})
}
