package oracle_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"twibase/e2e/oracle"
	"twibase/graph/exec"
)

var files = map[string]string{
	"users":       "username,name,email\nann,Ann,ann@example.org\nbob,Bob,\ncid,Cid,\n",
	"departments": "id,name,parent\ntop,Top,\nb,B,top\na,A,top\nc,C,b\n",
	"roles":       "id,name,department\nadmin,Admin,\n",
	"user_roles":  "username,role\ncid,admin\n",
	"follows":     "follower,followee,followed_at\nann,bob,\nbob,ann,2014-01-01T00:00:00Z\ncid,ann,2014-01-02T00:00:00Z\n",
	"twits":       "id,author,posted_at,content,photo_urls,visibility\n2,bob,2014-01-01T00:00:00Z,two,,\n1,bob,2014-01-01T00:00:00Z,one,,\n3,bob,2014-01-02T00:00:00Z,three,,FOLLOWERS\n",
	"comments":    "twit,author,posted_at,content\n1,cid,2014-01-01T00:00:00Z,by cid\n1,ann,2014-01-01T00:00:00Z,by ann\n",
	"games":       "id,name\ng,G\n",
	"plays":       "username,game,day,count\nann,g,2014-01-01,2\nbob,g,2014-01-01,3\nann,g,2014-01-03,4\n",
}

func TestOracleReturnsResponsesWorkedOutByHand(t *testing.T) {
	folder := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name+".csv"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	model, err := oracle.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, viewer, query string
		want                oracle.Object
		errors              []string
	}{
		{"follows: newest first, without time last", "", `{user(username:"ann"){followers{nodes{username}}}}`,
			one("user", one("followers", one("nodes", oracle.List{one("username", "cid"), one("username", "bob")}))), nil},
		{"twits of one time by id, without those for followers", "",
			`{user(username:"bob"){twitCount twits{totalCount nodes{content}}}}`,
			one("user", oracle.Object{{Key: "twitCount", Value: 2},
				{Key: "twits", Value: oracle.Object{{Key: "totalCount", Value: 2},
					{Key: "nodes", Value: oracle.List{one("content", "one"), one("content", "two")}}}}}), nil},
		{"a follower sees all twits", "ann", `{user(username:"bob"){twitCount}}`, one("user", one("twitCount", 3)), nil},
		{"an administrator sees all twits", "cid", `{user(username:"bob"){twitCount}}`, one("user", one("twitCount", 3)),
			nil},
		{"a page with a next page", "",
			`{user(username:"bob"){twits(first:1){nodes{content} pageInfo{hasNextPage hasPreviousPage}}}}`,
			one("user", one("twits", oracle.Object{{Key: "nodes", Value: oracle.List{one("content", "one")}},
				{Key: "pageInfo", Value: oracle.Object{{Key: "hasNextPage", Value: true},
					{Key: "hasPreviousPage", Value: false}}}})), nil},
		{"comments: own ones only", "ann", `{user(username:"bob"){twits(first:2){nodes{comments{nodes{content}}}}}}`,
			one("user", one("twits", one("nodes", oracle.List{one("comments", one("nodes", oracle.List{})),
				one("comments", one("nodes", oracle.List{one("content", "by ann")}))}))), nil},
		{"comments: all to the twit's author, of one time by author", "bob",
			`{user(username:"bob"){twits(first:2){nodes{comments{nodes{content}}}}}}`,
			one("user", one("twits", one("nodes", oracle.List{one("comments", one("nodes", oracle.List{})),
				one("comments", one("nodes", oracle.List{one("content", "by ann"), one("content", "by cid")}))}))), nil},
		{"the timeline is private", "ann",
			`{viewer{timeline{nodes{content}}} user(username:"bob"){timeline{nodes{content}}}}`,
			oracle.Object{{Key: "viewer", Value: one("timeline",
				one("nodes", oracle.List{one("content", "three"), one("content", "one"), one("content", "two")}))},
				{Key: "user", Value: one("timeline", nil)}}, nil},
		{"email is private", "bob", `{user(username:"ann"){email}}`, one("user", one("email", nil)), nil},
		{"a subtree by level", "", `{department(code:"top"){descendants{edges{depth node{code}}}}}`,
			one("department", one("descendants", one("edges", oracle.List{atDepth(1, "a"), atDepth(1, "b"), atDepth(2, "c")}))),
			nil},
		{"plays by day, over all players", "", `{game(code:"g"){plays(from:"2014-01-01",to:"2014-01-02"){day count}}}`,
			one("game", one("plays", oracle.List{oracle.Object{{Key: "day", Value: "2014-01-01"}, {Key: "count", Value: 5}}})),
			nil},
		{"an invalid page size", "", `{user(username:"ann"){followers(first:101){totalCount} name}}`,
			one("user", oracle.Object{{Key: "followers", Value: nil}, {Key: "name", Value: "Ann"}}),
			[]string{"user.followers LIMIT_EXCEEDED"}},
		{"an invalid page size and an invalid maxDepth", "",
			`{department(code:"top"){descendants(maxDepth:-1,first:101){totalCount}}}`,
			one("department", one("descendants", nil)), []string{"department.descendants LIMIT_EXCEEDED"}},
		{"merged fields and directives", "",
			`{user(username:"ann"){name @skip(if:true)} user(username:"ann"){...F}} fragment F on User{a:name}`,
			one("user", one("a", "Ann")), nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := oracle.New(model, exec.NewExecutableSchema(exec.Config{}).Schema()).
				Execute(oracle.Request{Query: test.query, Viewer: oracle.Viewer{Username: test.viewer}})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(any(test.want), got.Data); diff != "" || !slices.Equal(test.errors, got.Errors) {
				t.Errorf("errors: got %q, want %q; data (-want +got):\n%s", got.Errors, test.errors, diff)
			}
		})
	}
}

func one(key string, value any) oracle.Object { return oracle.Object{{Key: key, Value: value}} }

func atDepth(depth int, code string) oracle.Object {
	return oracle.Object{{Key: "depth", Value: depth}, {Key: "node", Value: one("code", code)}}
}
