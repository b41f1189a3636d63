package tables

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestBucketOf(t *testing.T) {
	directory := []Bucket{{Number: 3, Start: "d", Stop: "g"}, {Number: 1, Start: "g", Stop: "p"}, {Number: 2, Start: "p"}}
	for position, want := range map[string]uint32{"a": 0, "c\xf0": 0, "d": 3, "f": 3, "g": 1, "o": 1, "p": 2, "z": 2} {
		if got := BucketOf(directory, position); got != want {
			t.Errorf("%q lies in bucket %d, want %d", position, got, want)
		}
	}
	if got := BucketOf(nil, "a"); got != 0 {
		t.Errorf("a list of one bucket has %q in bucket %d", "a", got)
	}
}

func TestCut(t *testing.T) {
	directory := []Bucket{{Number: 3, Start: "d", Stop: "g"}, {Number: 1, Start: "g", Stop: "p"}, {Number: 2, Start: "p"}}
	for _, test := range []struct {
		name           string
		directory      []Bucket
		bucket         uint32
		cuts           []string
		fresh, columns []Bucket
	}{
		{"a list of one bucket", nil, 0, []string{"m"}, []Bucket{{1, "m", ""}}, []Bucket{{1, "m", ""}}},
		{"several at once", nil, 0, []string{"h", "m"}, []Bucket{{1, "h", "m"}, {2, "m", ""}}, []Bucket{{1, "h", "m"}, {2, "m", ""}}},
		{"bucket 0 goes on before the sealed ones", directory, 0, []string{"b"}, []Bucket{{4, "b", "d"}}, []Bucket{{4, "b", "d"}}},
		{"a sealed bucket keeps its beginning", directory, 1, []string{"k"}, []Bucket{{4, "k", "p"}}, []Bucket{{1, "g", "k"}, {4, "k", "p"}}},
		{"the last bucket has no end", directory, 2, []string{"s", "v"}, []Bucket{{4, "s", "v"}, {5, "v", ""}},
			[]Bucket{{2, "p", "s"}, {4, "s", "v"}, {5, "v", ""}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			fresh, columns := Split(test.directory, test.bucket, NextBucket(test.directory), test.cuts)
			if diff := cmp.Diff(test.fresh, fresh); diff != "" {
				t.Errorf("fresh (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.columns, columns); diff != "" {
				t.Errorf("columns (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTheKeyOfABucketIsReadBack(t *testing.T) {
	twit := (&Twit{AuthorName: "小红", PostedAt: time.UnixMilli(1_424_174_400_042), Name: "a/b:7"}).Key().String()
	for _, want := range []struct {
		owner  string
		bucket uint32
	}{{"LiLei", 0}, {"LiLei", 1}, {"LiLei", 1 << 31}, {"", 0}, {"", 7}, {twit, 0}, {twit, 0x01020304}} {
		owner, bucket, err := Comments.OwnerOf(Comments.Row(want.owner, want.bucket))
		if err != nil || owner != want.owner || bucket != want.bucket {
			t.Errorf("%+v is read back as %q, %d, %v", want, owner, bucket, err)
		}
	}
	for _, row := range []string{"", "x", RowKey("LiLei")[1:], RowKey("LiLei") + "\x00", Comments.Row("LiLei", 1)[1:], Followers.Row("LiLei", 1)} {
		if owner, bucket, err := Comments.OwnerOf(row); err == nil {
			t.Errorf("%q is read as %q, %d", row, owner, bucket)
		}
	}
}
