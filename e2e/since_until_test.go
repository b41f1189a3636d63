package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"twibase/e2e/oracle"
)

func TestTwitsArePagedBySinceAndUntil(t *testing.T) {
	files := map[string]string{"users": people["users"], "comments": people["comments"], "follows": people["follows"],
		"twits": people["twits"] + "\nzero,owner,1970-01-01T00:00:00Z,zero,https://example.org/a.jpg,PUBLIC" +
			"\nlate,owner,2014-06-02T00:00:00.001Z,late,,PUBLIC"}
	s := newPeopleGateway(t, folderOf(t, files))
	for _, test := range []struct{ args, want string }{
		{`since:"1970-01-01T00:00:00Z"`, "late a moment for everybody zero"},
		{`since:"1970-01-01T00:00:00.0001Z"`, "late a moment for everybody"},
		{`since:"2014-06-01T00:00:00Z"`, "late a moment for everybody"},
		{`since:"2014-06-01T00:00:00.0001Z"`, "late a moment"},
		{`since:"2014-06-02T00:00:00.001Z"`, "late"},
		{`since:"9999-12-31T23:59:59Z"`, ""},
		{`until:"2014-06-02T00:00:00Z"`, "for everybody zero"},
		{`until:"2014-06-02T00:00:00.0001Z"`, "a moment for everybody zero"},
		{`until:"1970-01-01T00:00:00Z"`, ""},
		{`since:"2014-06-01T00:00:00Z",until:"2014-06-02T00:00:00Z"`, "for everybody"},
		{`since:"2014-06-01T08:00:00+08:00",until:"2014-06-02T08:00:00+08:00"`, "for everybody"},
		{`since:"2014-06-02T00:00:00Z",until:"2014-06-02T00:00:00Z"`, ""},
		{`since:"2015-01-01T00:00:00Z",until:"2014-01-01T00:00:00Z"`, ""},
		{`since:null,until:null`, "late a moment for everybody zero"},
	} {
		for _, page := range []string{"first:1", "first:3", "last:1", "last:3"} {
			newest := s.postedPages(t, test.args, page)
			if got := strings.Join(newest, " "); got != test.want {
				t.Errorf("%s, %s: got %q, want %q", test.args, page, got, test.want)
			}
			oldest := s.postedPages(t, test.args+",orderBy:OLDEST_FIRST", page)
			slices.Reverse(oldest)
			if diff := cmp.Diff(newest, oldest); diff != "" {
				t.Errorf("%s, %s, oldest first (-want +got):\n%s", test.args, page, diff)
			}
		}
	}
	got := s.query(t, as("owner"), `{user(username:"owner"){album(since:"2014-01-01T00:00:00Z"){totalCount nodes{content}}}}`)
	want := oracle.List{oracle.Object{{Key: "content", Value: "a moment"}}}
	if diff := cmp.Diff(want, oracle.Get(got, "user", "album", "nodes")); diff != "" ||
		oracle.Get(got, "user", "album", "totalCount") != nil {
		t.Errorf("the album (-want +got):\n%s", diff)
	}
}

func (s *peopleGateway) postedPages(t *testing.T, args, page string) []string {
	t.Helper()
	backward, cursor := strings.HasPrefix(page, "last"), ""
	var texts []string
	for {
		list := s.data(t, fmt.Sprintf(`{user(username:"owner"){twits(%s,%s%s){nodes{content} pageInfo{hasNextPage endCursor
			hasPreviousPage startCursor}}}}`, args, page, cursor), as("owner"))["user"].(map[string]any)["twits"].(map[string]any)
		var read []string
		for _, node := range list["nodes"].([]any) {
			read = append(read, node.(map[string]any)["content"].(string))
		}
		info := list["pageInfo"].(map[string]any)
		more, next := info["hasNextPage"], fmt.Sprintf(",after:%q", info["endCursor"])
		if texts = append(texts, read...); backward {
			texts = append(read, texts[:len(texts)-len(read)]...)
			more, next = info["hasPreviousPage"], fmt.Sprintf(",before:%q", info["startCursor"])
		}
		if more != true {
			return texts
		}
		cursor = next
	}
}

// Keys begin with the time, so the page takes the rounds of one after a cursor.
func TestTwitsOfATimeReadOnlyTheirPage(t *testing.T) {
	s := newPeopleGateway(t, folderOf(t, people))
	body := s.ask(t, `{user(username:"owner"){twits(first:1,until:"2014-06-02T00:00:00Z"){nodes{content}}}}`, nil,
		as("owner"), "1")
	r, _ := reported(t, body)
	if len(r.Levels) > 2 {
		t.Errorf("got %d rounds, want 2 at most: %s", len(r.Levels), body)
	}
}
