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

// TestAsk is worked out by hand: it holds the oracle itself to the rules.
func TestAsk(t *testing.T) {
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
		{"newest first, those without a time last", "", `{user(username:"ann"){followers{nodes{username}}}}`,
			one("user", one("followers", one("nodes", oracle.List{one("username", "cid"), one("username", "bob")}))), nil},
		{"twits of one time by their ids; a moment is not a stranger's to see", "", `{user(username:"bob"){twitCount twits{totalCount nodes{content}}}}`,
			one("user", oracle.Object{{Key: "twitCount", Value: 2}, {Key: "twits", Value: oracle.Object{{Key: "totalCount", Value: 2},
				{Key: "nodes", Value: oracle.List{one("content", "one"), one("content", "two")}}}}}), nil},
		{"a follower sees it", "ann", `{user(username:"bob"){twitCount}}`, one("user", one("twitCount", 3)), nil},
		{"and so does who has the role admin", "cid", `{user(username:"bob"){twitCount}}`, one("user", one("twitCount", 3)), nil},
		{"a short page that may be followed by more", "", `{user(username:"bob"){twits(first:1){nodes{content} pageInfo{hasNextPage hasPreviousPage}}}}`,
			one("user", one("twits", oracle.Object{{Key: "nodes", Value: oracle.List{one("content", "one")}},
				{Key: "pageInfo", Value: oracle.Object{{Key: "hasNextPage", Value: true}, {Key: "hasPreviousPage", Value: false}}}})), nil},
		{"of two comments whose author wrote one, that one is seen if the other's author is not followed", "ann", `{user(username:"bob"){twits(first:2){nodes{comments{nodes{content}}}}}}`,
			one("user", one("twits", one("nodes", oracle.List{one("comments", one("nodes", oracle.List{})),
				one("comments", one("nodes", oracle.List{one("content", "by ann")}))}))), nil},
		{"the twit's author sees both, of one time by their authors' names", "bob", `{user(username:"bob"){twits(first:2){nodes{comments{nodes{content}}}}}}`,
			one("user", one("twits", one("nodes", oracle.List{one("comments", one("nodes", oracle.List{})),
				one("comments", one("nodes", oracle.List{one("content", "by ann"), one("content", "by cid")}))}))), nil},
		{"the timeline is the owner's", "ann", `{viewer{timeline{nodes{content}}} user(username:"bob"){timeline{nodes{content}}}}`,
			oracle.Object{{Key: "viewer", Value: one("timeline", one("nodes", oracle.List{one("content", "three"), one("content", "one"), one("content", "two")}))},
				{Key: "user", Value: one("timeline", nil)}}, nil},
		{"email is the owner's", "bob", `{user(username:"ann"){email}}`, one("user", one("email", nil)), nil},
		{"a subtree goes level by level", "", `{department(code:"top"){descendants{edges{depth node{code}}}}}`,
			one("department", one("descendants", one("edges", oracle.List{placed(1, "a"), placed(1, "b"), placed(2, "c")}))), nil},
		{"days are summed over the players", "", `{game(code:"g"){plays(from:"2014-01-01",to:"2014-01-02"){day count}}}`,
			one("game", one("plays", oracle.List{oracle.Object{{Key: "day", Value: "2014-01-01"}, {Key: "count", Value: 5}}})), nil},
		{"a list of wrong length is an error at its place", "", `{user(username:"ann"){followers(first:101){totalCount} name}}`,
			one("user", oracle.Object{{Key: "followers", Value: nil}, {Key: "name", Value: "Ann"}}), []string{"user.followers LIMIT_EXCEEDED"}},
		{"fields of one name are one, and directives are heeded", "", `{user(username:"ann"){name @skip(if:true)} user(username:"ann"){...F}} fragment F on User{a:name}`,
			one("user", one("a", "Ann")), nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := oracle.New(model, exec.NewExecutableSchema(exec.Config{}).Schema()).
				Ask(oracle.Question{Query: test.query, Viewer: oracle.Viewer{Username: test.viewer}})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(any(test.want), got.Data); diff != "" || !slices.Equal(test.errors, got.Errors) {
				t.Errorf("the errors are %q, want %q; the data (-want +got):\n%s", got.Errors, test.errors, diff)
			}
		})
	}
}

func one(key string, value any) oracle.Object { return oracle.Object{{Key: key, Value: value}} }

func placed(depth int, code string) oracle.Object {
	return oracle.Object{{Key: "depth", Value: depth}, {Key: "node", Value: one("code", code)}}
}
