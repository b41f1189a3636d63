package relay

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"twibase/graph/apierr"
	"twibase/hbase/tables"
)

func marshal(m graphql.Marshaler) string {
	var b strings.Builder
	m.MarshalGQL(&b)
	s, _ := strconv.Unquote(b.String())
	return s
}

func codeOf(err error) apierr.Code {
	if err == nil {
		return ""
	}
	public, _ := apierr.Of(err)
	return public.Code
}

func TestIDsRoundTripAndMalformedOnesFail(t *testing.T) {
	longest := strings.Repeat("𝒜", tables.MaxUsername)
	twit := tables.Twit{AuthorName: longest, PostedAt: time.UnixMilli(1), Name: strings.Repeat("t", tables.MaxTwitID)}
	comment := tables.Comment{Twit: twit.Key(), PostedAt: twit.PostedAt, Mark: tables.CommentMark(longest, "hello", 0)}
	for _, node := range []interface{ ID() tables.ID }{
		&tables.User{Username: longest}, &tables.Role{Code: strings.Repeat("r", tables.MaxCode)},
		&tables.Department{Code: "开发/1"}, &tables.Game{Code: "go"}, &twit, &comment,
	} {
		t.Run("the longest id of "+string(node.ID().Noun), func(t *testing.T) {
			id := marshal(MarshalID(node.ID()))
			got, err := UnmarshalID(id)
			if diff := cmp.Diff(node.ID(), got); diff != "" || err != nil {
				t.Errorf("%s is %v (-want +got):\n%s", id, err, diff)
			}
		})
	}

	for _, test := range []struct {
		name string
		id   any
		code apierr.Code
	}{
		{"an empty id", "", ""},
		{"no base64", "ä", ""},
		{"standard base64", "+/+/", ""},
		{"padding", "VUw=", ""},
		{"stray bits", "VUx", ""},
		{"a line break inside", "VUxp\nTGVp", ""},
		{"an unknown noun", "WFg", ""},
		{"an invalid key", "VQ", ""},
		{"a number", int64(5), ""},
		{"an id of 512 bytes", strings.Repeat("A", MaxLength), ""},
		{"an id of 513 bytes", strings.Repeat("A", MaxLength+1), apierr.CodeLimitExceeded},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got, err := UnmarshalID(test.id); got != (tables.ID{}) || codeOf(err) != test.code {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
}

func anything(string) error { return nil }

var followers, twits = Cursors{'f', anything}, Cursors{'t', anything}

func connections() (all []Cursors) {
	for _, l := range tables.Lists() {
		if l.Cursor != 0 {
			all = append(all, Cursors{l.Cursor, anything})
		}
	}
	for _, o := range tables.Objects() {
		all = append(all, Cursors{byte(o.Noun), anything})
	}
	return append(all, Cursors{Descendants, anything})
}

func TestCursorIsValidInItsListOnly(t *testing.T) {
	t.Run("a cursor has its position, in its list only", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			position := rapid.StringN(1, -1, MaxLength*3/4-1).Draw(t, "position")
			cursor := followers.Encode(position)
			if got, err := followers.Decode(cursor); got != position || err != nil {
				t.Fatalf("got %q, %v", got, err)
			}
			if got, err := twits.Decode(cursor); codeOf(err) != apierr.CodeBadUserInput {
				t.Fatalf("another list: got %q, %v", got, err)
			}
		})
	})
	whole := followers.Encode("position")
	for cut := range len(whole) {
		if got, err := followers.Decode(whole[:cut]); err == nil && got == "position" {
			t.Errorf("a cut cursor %s: got %q", whole[:cut], got)
		}
	}
	if _, err := followers.Decode(strings.Repeat("A", MaxLength+1)); codeOf(err) != apierr.CodeLimitExceeded {
		t.Errorf("too long cursor: got %v", err)
	}
	t.Run("letters are unique", func(t *testing.T) {
		seen := map[byte]bool{}
		for _, c := range connections() {
			if seen[c.Letter] {
				t.Errorf("%c is used twice", c.Letter)
			}
			seen[c.Letter] = true
		}
	})
}

func TestPageArgumentsAreValidated(t *testing.T) {
	check := func(position string) error {
		if position == "wrong" {
			return errors.New("not a position")
		}
		return nil
	}
	checked := Cursors{'r', check}
	cursor := func(position string) *string { return new(checked.Encode(position)) }
	for _, test := range []struct {
		name          string
		first, last   *int
		after, before *string
		want          Page
		code          apierr.Code
	}{
		{name: "no arguments", want: Page{Size: 20}},
		{name: "first", first: new(3), want: Page{Size: 3}},
		{name: "last", last: new(3), want: Page{Size: 3, Backward: true}},
		{name: "first is 0", first: new(0), code: apierr.CodeBadUserInput},
		{name: "first is the maximum", first: new(100), want: Page{Size: 100}},
		{name: "first is above the maximum", first: new(101), code: apierr.CodeLimitExceeded},
		{name: "last is above the maximum", last: new(101), code: apierr.CodeLimitExceeded},
		{name: "first is negative", first: new(-1), code: apierr.CodeBadUserInput},
		{name: "last is negative", last: new(-1), code: apierr.CodeBadUserInput},
		{name: "first and last", first: new(1), last: new(1), code: apierr.CodeBadUserInput},
		{name: "after and before", after: cursor("a"), before: cursor("z"), want: Page{Size: 20, After: "a", Before: "z"}},
		{name: "malformed after", after: new("?"), code: apierr.CodeBadUserInput},
		{name: "empty after", after: new(""), code: apierr.CodeBadUserInput},
		{name: "malformed before", before: new("?"), code: apierr.CodeBadUserInput},
		{name: "an invalid position of the list", before: cursor("wrong"), code: apierr.CodeBadUserInput},
		{name: "a cursor of another list", after: new(twits.Encode("a")), code: apierr.CodeBadUserInput},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := checked.Page(test.first, test.after, test.last, test.before)
			if err != nil {
				got = Page{}
			}
			if diff := cmp.Diff(test.want, got); diff != "" || codeOf(err) != test.code {
				t.Errorf("error %v, want code %q; page (-want +got):\n%s", err, test.code, diff)
			}
		})
	}
}

func TestAppendIDDoesNotAllocate(t *testing.T) {
	twit := &tables.Twit{AuthorName: "LiLei", PostedAt: time.UnixMilli(1_400_000_000_000), Name: "t12345"}
	dst := make([]byte, 0, MaxLength)
	if n := testing.AllocsPerRun(100, func() { dst = AppendID(dst[:0], twit.ID()) }); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}
