package tables

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestBucketCoversPositionsFromItsStart(t *testing.T) {
	directory := []Bucket{{Number: 3, Start: "d", Stop: "g"}, {Number: 1, Start: "g", Stop: "p"}, {Number: 2, Start: "p"}}
	for position, want := range map[string]uint32{"a": 0, "c\xf0": 0, "d": 3, "f": 3, "g": 1, "o": 1, "p": 2, "z": 2} {
		if got := BucketOf(directory, position); got != want {
			t.Errorf("BucketOf(%q) is %d, want %d", position, got, want)
		}
	}
	if got := BucketOf(nil, "a"); got != 0 {
		t.Errorf("BucketOf in a list of one bucket is %d, want 0", got)
	}
}

func TestSplitCreatesBucketsWithNewNumbers(t *testing.T) {
	directory := []Bucket{{Number: 3, Start: "d", Stop: "g"}, {Number: 1, Start: "g", Stop: "p"}, {Number: 2, Start: "p"}}
	for _, test := range []struct {
		name             string
		directory        []Bucket
		bucket           uint32
		starts           []string
		created, columns []Bucket
	}{
		{"a list of one bucket", nil, 0, []string{"m"}, []Bucket{{1, "m", ""}}, []Bucket{{1, "m", ""}}},
		{"several starts", nil, 0, []string{"h", "m"},
			[]Bucket{{1, "h", "m"}, {2, "m", ""}}, []Bucket{{1, "h", "m"}, {2, "m", ""}}},
		{"bucket 0 before named ones", directory, 0, []string{"b"}, []Bucket{{4, "b", "d"}}, []Bucket{{4, "b", "d"}}},
		{"a named bucket", directory, 1, []string{"k"},
			[]Bucket{{4, "k", "p"}}, []Bucket{{1, "g", "k"}, {4, "k", "p"}}},
		{"the last bucket", directory, 2, []string{"s", "v"}, []Bucket{{4, "s", "v"}, {5, "v", ""}},
			[]Bucket{{2, "p", "s"}, {4, "s", "v"}, {5, "v", ""}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			created, columns := Split(test.directory, test.bucket, NextBucket(test.directory), test.starts)
			if diff := cmp.Diff(test.created, created); diff != "" {
				t.Errorf("created (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.columns, columns); diff != "" {
				t.Errorf("columns (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRowKeysOfBucketsRoundTrip(t *testing.T) {
	twit := (&Twit{AuthorName: "小红", PostedAt: time.UnixMilli(1_424_174_400_042), Name: "a/b:7"}).Key().String()
	for _, want := range []struct {
		owner  string
		bucket uint32
	}{{"LiLei", 0}, {"LiLei", 1}, {"LiLei", 1 << 31}, {"", 0}, {"", 7}, {twit, 0}, {twit, 0x01020304}} {
		owner, bucket, err := Comments.OwnerOf(Comments.Row(want.owner, want.bucket))
		if err != nil || owner != want.owner || bucket != want.bucket {
			t.Errorf("got owner %q, bucket %d, error %v, want %+v", owner, bucket, err, want)
		}
	}
	for _, row := range []string{"", "x", RowKey("LiLei")[1:], RowKey("LiLei") + "\x00",
		Comments.Row("LiLei", 1)[1:], Followers.Row("LiLei", 1)} {
		if owner, bucket, err := Comments.OwnerOf(row); err == nil {
			t.Errorf("%q: got owner %q, bucket %d, want an error", row, owner, bucket)
		}
	}
}
