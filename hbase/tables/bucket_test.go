package tables_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"twibase/hbase/tables"
)

func TestCut(t *testing.T) {
	older, oldest := tables.Bucket{Number: 2, Start: "g", Stop: "p"}, tables.Bucket{Number: 1, Start: "p"}
	for _, test := range []struct {
		reason         string
		directory      []tables.Bucket
		bucket         uint32
		cuts           []string
		fresh, columns []tables.Bucket
	}{
		{"the first sealed bucket is the list's end", nil, 0, []string{"p"},
			[]tables.Bucket{oldest}, []tables.Bucket{oldest}},
		{"the next ends where that begins", []tables.Bucket{oldest}, 0, []string{"g"},
			[]tables.Bucket{older}, []tables.Bucket{older}},
		{"several at once follow each other", nil, 0, []string{"g", "p"},
			[]tables.Bucket{{Number: 1, Start: "g", Stop: "p"}, {Number: 2, Start: "p"}},
			[]tables.Bucket{{Number: 1, Start: "g", Stop: "p"}, {Number: 2, Start: "p"}}},
		{"a sealed one keeps its beginning", []tables.Bucket{older, oldest}, 2, []string{"k"},
			[]tables.Bucket{{Number: 3, Start: "k", Stop: "p"}},
			[]tables.Bucket{{Number: 2, Start: "g", Stop: "k"}, {Number: 3, Start: "k", Stop: "p"}}},
		{"the last one too", []tables.Bucket{older, oldest}, 1, []string{"q"},
			[]tables.Bucket{{Number: 3, Start: "q"}},
			[]tables.Bucket{{Number: 1, Start: "p", Stop: "q"}, {Number: 3, Start: "q"}}},
	} {
		t.Run(test.reason, func(t *testing.T) {
			fresh, columns := tables.Cut(test.directory, test.bucket, test.cuts)
			if diff := cmp.Diff(test.fresh, fresh); diff != "" {
				t.Errorf("new buckets (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.columns, columns); diff != "" {
				t.Errorf("directory columns (-want +got):\n%s", diff)
			}
		})
	}
}

// However a list is cut, the columns that were put make a directory without gaps, and each position stays in its bucket or goes
// to a new one.
func TestBucketsCoverAListWithoutGapsHoweverItIsCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		columns := map[string]tables.Bucket{} // by qualifier, as a row has them
		directory := func() (list []tables.Bucket) {
			for _, b := range columns {
				list = append(list, b)
			}
			slices.SortFunc(list, func(a, b tables.Bucket) int {
				return strings.Compare(tables.RoleUsers.BucketCell(a, 0).Qualifier, tables.RoleUsers.BucketCell(b, 0).Qualifier)
			})
			return list
		}
		for range rapid.IntRange(1, 6).Draw(t, "cuts") {
			before := directory()
			// Cuts fall inside one bucket, behind its first member.
			bucket := tables.BucketOf(before, names.Draw(t, "in the bucket of"))
			all := rapid.SliceOfNDistinct(names, 1, 3, rapid.ID[string]).Draw(t, "at")
			all = slices.DeleteFunc(all, func(s string) bool {
				return tables.BucketOf(before, s) != bucket || slices.ContainsFunc(before, func(b tables.Bucket) bool { return b.Start == s })
			})
			if len(all) == 0 {
				continue
			}
			slices.Sort(all)
			fresh, put := tables.Cut(before, bucket, all)
			for _, b := range put {
				columns[tables.RoleUsers.BucketCell(b, 0).Qualifier] = b
			}
			after := directory()
			for i, b := range after {
				if i+1 < len(after) && b.Stop != after[i+1].Start || i+1 == len(after) && b.Stop != "" {
					t.Fatalf("%+v has a gap behind %+v", after, b)
				}
			}
			position := names.Draw(t, "position")
			was, is := tables.BucketOf(before, position), tables.BucketOf(after, position)
			moved := slices.ContainsFunc(fresh, func(b tables.Bucket) bool { return b.Number == is })
			if was != is && !(was == bucket && moved) || was == bucket && moved != (position >= all[0]) {
				t.Fatalf("%q was in bucket %d of %+v and is in %d of %+v", position, was, before, is, after)
			}
		}
	})
}
