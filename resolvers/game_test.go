package resolvers

import (
	"testing"

	"twibase/hbase"
	"twibase/hbase/embedded"
	"twibase/hbase/tables"
	"twibase/loaders"
)

func TestIsPlayedAfterASplit(t *testing.T) {
	store, err := embedded.Open("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	for _, table := range tables.Definitions(1) {
		if err := store.CreateTable(t.Context(), table); err != nil {
			t.Fatal(err)
		}
	}
	l := tables.Players
	directory := []hbase.Cell{
		l.BucketCell(tables.Bucket{Number: 1, Start: "h", Stop: "p"}, 1), l.BucketCell(tables.Bucket{Number: 2, Start: "p"}, 1),
	}
	for _, test := range []struct {
		name    string
		buckets map[uint32][]hbase.Cell
		want    bool
	}{
		{"all players have left", nil, false},
		{"a player in the first bucket", map[uint32][]hbase.Cell{0: {l.Cell("a", 1)}}, true},
		{"a player in the last bucket", map[uint32][]hbase.Cell{2: {l.Cell("z", 1)}}, true},
		{"a player added during the split", map[uint32][]hbase.Cell{0: {l.MovedCell("k", 1)}, 1: {l.Cell("k", 1)}}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			puts := []hbase.Mutation{hbase.Put{Table: l.Table, Row: l.Row(test.name, 0), Cells: directory}}
			for bucket, cells := range test.buckets {
				puts = append(puts, hbase.Put{Table: l.Table, Row: l.Row(test.name, bucket), Cells: cells})
			}
			if errs, err := store.Mutate(t.Context(), puts); err != nil || errs != nil {
				t.Fatal(err, errs)
			}
			ctx := loaders.With(t.Context(), store)
			played, err := gameIsPlayed.resolve(ctx, []*tables.Game{{Code: test.name}})
			if err != nil || *played[0] != test.want {
				t.Errorf("got %v, %v, want %v", *played[0], err, test.want)
			}
		})
	}
}
