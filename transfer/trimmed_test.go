package transfer

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/check"
)

// dyingAt is a store that dies when a cell is about to be put that is so.
type dyingAt struct {
	hbase.Store
	is func(hbase.Cell) bool
}

func (s dyingAt) Mutate(ctx context.Context, mutations []hbase.Mutation) ([]error, error) {
	for _, m := range mutations {
		if put, ok := m.(hbase.Put); ok && slices.ContainsFunc(put.Cells, s.is) {
			return nil, errDead
		}
	}
	return s.Store.Mutate(ctx, mutations)
}

// cutsTimeline reports whether a cell is put when a timeline is cut.
func cutsTimeline(c hbase.Cell) bool { return c.Qualifier == tables.SinceColumn }

func TestATimelineThatADeadImportFilledIsCutByTheNext(t *testing.T) {
	users := people("star", "a", "b")
	follows := "follower,followee\na,star\nb,a\n"
	twits := "id,author,posted_at,content,photo_urls\ns1,star,2020-01-01T00:00:00Z,x,\ns2,star,2020-01-02T00:00:00Z,x,\n" +
		"s3,star,2020-01-03T00:00:00Z,x,\n"
	for _, test := range []struct {
		name         string
		before, dies map[string]string
	}{
		{"of all", nil, map[string]string{"users": users, "follows": follows, "twits": twits}},
		{"of twits", map[string]string{"users": users, "follows": follows}, map[string]string{"twits": twits}},
		{"of follows", map[string]string{"users": users, "twits": twits}, map[string]string{"follows": follows}},
	} {
		for _, between := range []string{"nothing", "a repair", "other data"} {
			t.Run(test.name+", "+between+" in between", func(t *testing.T) {
				store := openStore(t)
				load := func(store hbase.Store, contents map[string]string) error {
					files, err := memoryFiles(csvFiles(contents))
					if err != nil {
						t.Fatal(err)
					}
					im, err := newImporter(t.Context(), store, files, Options{})
					if err != nil {
						t.Fatal(err)
					}
					im.rebuilder.TimelineBound = 2
					return im.run(t.Context())
				}
				if err := load(store, test.before); err != nil {
					t.Fatal(err)
				}
				if err := load(dyingAt{store, cutsTimeline}, test.dies); !errors.Is(err, errDead) {
					t.Fatal(err)
				}
				switch between {
				case "a repair":
					if _, err := (check.Checker{Store: store, TimelineBound: 2}).RepairAll(t.Context()); err != nil {
						t.Fatal(err)
					}
				case "other data":
					if err := load(store, map[string]string{"users": people("other")}); err != nil {
						t.Fatal(err)
					}
				}
				if err := load(store, test.dies); err != nil {
					t.Fatal(err)
				}
				if got := members(t, store, tables.Timelines, "a"); len(got) != 2 {
					t.Errorf("the timeline has %d entries, want 2", len(got))
				}
				cells, err := hbase.GetAll(t.Context(), store, []hbase.Get{tables.TimelineSince("a")})
				if err != nil {
					t.Fatal(err)
				}
				want := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
				if since, cut, err := tables.DecodeTimelineSince(cells[0]); !cut || !since.Equal(want) || err != nil {
					t.Errorf("it is said to be whole since %v (%t), %v, want %v", since, cut, err, want)
				}
			})
		}
	}
}
