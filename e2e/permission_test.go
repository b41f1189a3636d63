package e2e

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"twibase/e2e/oracle"
	"twibase/graph/apierr"
	"twibase/graph/auth"
	"twibase/live"
	"twibase/resolvers"
	"twibase/transfer"
)

// cast is who there is in each column of docs/PERMISSIONS.md, and what they may or may not do.
var cast = map[string]string{
	"users":       "username,name,email\nowner,Owner,owner@example.org\nsomebody,Somebody,\nwriter,Writer,\nfan,Fan,\nboss,Boss,\nthird,Third,",
	"departments": "id,name,parent\nceo,CEO,\ndev,Development,ceo\nempty,Empty,",
	"roles":       "id,name,department\nadmin,Administrator,\ndeveloper,Developer,dev",
	"user_roles":  "username,role\nboss,admin\nthird,developer",
	"follows":     "follower,followee,followed_at\nfan,owner,2014-05-01T00:00:00Z\nowner,writer,2014-05-01T00:00:00Z",
	"twits": `id,author,posted_at,content,photo_urls,visibility
p,owner,2014-06-01T00:00:00Z,for everybody,,PUBLIC
m,owner,2014-06-02T00:00:00Z,a moment,,FOLLOWERS
w,writer,2014-06-03T00:00:00Z,by the writer,,PUBLIC`,
	"comments": "twit,author,posted_at,content\nw,owner,2014-06-04T00:00:00Z,a remark",
	"likes":    "username,twit,liked_at\nthird,p,2014-06-05T00:00:00Z\nfan,p,2014-06-05T00:00:00Z\nfan,m,2014-06-06T00:00:00Z\nwriter,w,",
	"games":    "id,name\nchess,Chess",
	"plays":    "username,game,day,count\nthird,chess,2014-12-25,2",
}

// askers are the viewers of the table's askers.
var askers = []oracle.Viewer{stranger, as("somebody"), as("owner"), as("writer"), as("fan"), as("boss")}

// sight is something that is there for whoever may see it, on each of these ways.
type sight struct {
	shows string
	ways  []string
}

// sights are the rows of the table that are read. What stands in angle brackets is an id.
var sights = map[string]sight{
	"User.email": {"owner@example.org", []string{
		`{user(username:"owner"){email}}`, `{node(id:"<owner>"){...on User{email}}}`, `{nodes(ids:["<owner>"]){...on User{email}}}`,
		`{users(first:100){nodes{email}}}`, `{twit(id:"<p>"){author{email}}}`}},
	"User.timeline": {"by the writer", []string{
		`{user(username:"owner"){timeline{nodes{content}}}}`, `{node(id:"<owner>"){...on User{timeline{nodes{content}}}}}`,
		`{nodes(ids:["<owner>"]){...on User{timeline{edges{node{content}}}}}}`}},
	"Twit, for everybody": {"for everybody", []string{
		`{twit(id:"<p>"){content}}`, `{node(id:"<p>"){...on Twit{content}}}`, `{nodes(ids:["<p>"]){...on Twit{content}}}`,
		`{user(username:"owner"){twits{nodes{content}}}}`}},
	"Twit, for followers": {"a moment", []string{
		`{twit(id:"<m>"){content}}`, `{node(id:"<m>"){...on Twit{content}}}`, `{nodes(ids:["<p>","<m>"]){...on Twit{content}}}`,
		`{user(username:"owner"){twits{nodes{content}}}}`, `{user(username:"owner"){album{nodes{content}}}}`}},
	"User.twitCount, User.album.totalCount": {`2,"album":{"totalCount":1`, []string{
		`{user(username:"owner"){twitCount album{totalCount}}}`, `{node(id:"<owner>"){...on User{twitCount album{totalCount}}}}`,
		`{nodes(ids:["<owner>"]){...on User{twitCount album{totalCount}}}}`}},
	"Comment": {"a remark", []string{
		`{node(id:"<remark>"){...on Comment{content}}}`, `{nodes(ids:["<remark>"]){...on Comment{content}}}`,
		`{twit(id:"<w>"){comments{nodes{content}}}}`}},
}

// inputs are those of the rows of the table that change something.
var inputs = map[string]string{
	"signUp":           `{username:"young",name:"Young",password:"correct horse"}`,
	"logIn":            `{username:"owner",password:"wrong horse"}`,
	"createUser":       `{username:"young",name:"Young"}`,
	"updateUser":       `{username:"owner",name:"Changed"}`,
	"deleteUser":       `{username:"owner"}`,
	"follow":           `{username:"third"}`,
	"unfollow":         `{username:"third"}`,
	"postTwit":         `{content:"new"}`,
	"deleteTwit":       `{id:"<p>"}`,
	"like":             `{twitId:"<w>"}`,
	"unlike":           `{twitId:"<w>"}`,
	"addComment":       `{twitId:"<w>",content:"new"}`,
	"deleteComment":    `{id:"<remark>"}`,
	"createRole":       `{code:"young",name:"Young"}`,
	"updateRole":       `{code:"developer",name:"Changed"}`,
	"deleteRole":       `{code:"developer"}`,
	"assignRole":       `{username:"owner",role:"developer"}`,
	"revokeRole":       `{username:"third",role:"developer"}`,
	"createDepartment": `{code:"young",name:"Young"}`,
	"updateDepartment": `{code:"dev",name:"Changed"}`,
	"moveDepartment":   `{code:"dev",parent:null}`,
	"deleteDepartment": `{code:"empty"}`,
	"createGame":       `{code:"young",name:"Young"}`,
	"updateGame":       `{code:"chess",name:"Changed"}`,
	"deleteGame":       `{code:"chess"}`,
	"recordPlay":       `{game:"chess"}`,
}

func TestPermissions(whole *testing.T) {
	folder := folderOf(whole, cast)
	var shared *stage
	for _, row := range permissions(whole) {
		whole.Run(row.what, func(t *testing.T) {
			for i, may := range row.may {
				if shared == nil {
					shared = newStage(whole, folder) // it outlives the row
				}
				if sight, ok := sights[row.what]; ok {
					for _, way := range sight.ways {
						shared.sees(t, askers[i], way, sight.shows, may)
					}
				} else if row.what == "timelineTwitAdded" {
					shared.listens(t, askers[i], may)
				} else if input, ok := inputs[row.what]; ok {
					if shared.does(t, askers[i], row.what, input, may); may {
						shared = nil // it is not what it was
					}
				} else {
					t.Fatal("nobody tries it: add it to sights or inputs")
				}
			}
		})
	}
}

// row is one of the table.
type row struct {
	what string
	may  []bool // by column
}

// permissions are the rows of docs/PERMISSIONS.md.
func permissions(t *testing.T) (rows []row) {
	t.Helper()
	text, err := os.ReadFile("../docs/PERMISSIONS.md")
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(string(text), "| what | stranger | user | owner | twit's author | follower | administrator |\n|---|---|---|---|---|---|---|\n")
	for line := range strings.Lines(body) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if len(cells) != len(askers)+1 {
			break
		}
		r := row{what: strings.ReplaceAll(strings.TrimPrefix(cells[0], "| "), "`", "")}
		for _, cell := range cells[1:] {
			r.may = append(r.may, strings.TrimSuffix(cell, " |") == "yes")
		}
		rows = append(rows, r)
	}
	if len(rows) == 0 {
		t.Fatal("there is no table")
	}
	return rows
}

// stage is a gateway over the cast.
type stage struct {
	*gateway
	ids *strings.Replacer
}

func newStage(t *testing.T, folder string) *stage {
	t.Helper()
	s := &stage{gateway: newGateway("embedded", inMemory(t))}
	importInto(t, s.store, folder, transfer.Options{})
	given, err := answer(s.ask(t, `{owner:user(username:"owner"){id twits{nodes{id}}} writer:user(username:"writer"){twits{nodes{id comments{nodes{id}}}}}}`, nil, root))
	if err != nil || len(given.Errors) > 0 {
		t.Fatal(err, given.Errors)
	}
	twits := oracle.Get(given.Data, "owner", "twits", "nodes").(oracle.List)
	w := oracle.Get(given.Data, "writer", "twits", "nodes").(oracle.List)[0]
	remark := oracle.Get(w, "comments", "nodes").(oracle.List)[0]
	s.ids = strings.NewReplacer("<owner>", fmt.Sprint(oracle.Get(given.Data, "owner", "id")), "<m>", fmt.Sprint(oracle.Get(twits[0], "id")),
		"<p>", fmt.Sprint(oracle.Get(twits[1], "id")), "<w>", fmt.Sprint(oracle.Get(w, "id")), "<remark>", fmt.Sprint(oracle.Get(remark, "id")))
	return s
}

// sees checks whether a viewer sees something. Whoever may not gets no error either: it looks like what does not exist.
func (s *stage) sees(t *testing.T, viewer oracle.Viewer, query, shows string, may bool) {
	t.Helper()
	body := string(s.ask(t, s.ids.Replace(query), nil, viewer))
	if strings.Contains(body, shows) != may || strings.Contains(body, `"errors"`) {
		t.Errorf("%q sees %s by %s", viewer.Username, body, query)
	}
}

// does checks whether a viewer does something, or why not.
func (s *stage) does(t *testing.T, viewer oracle.Viewer, mutation, input string, may bool) {
	t.Helper()
	before := allCells(t, s.store)
	body := string(s.ask(t, s.ids.Replace(`mutation{`+mutation+`(input:`+input+`){userErrors{code}}}`), nil, viewer))
	want := `{"data":{"` + mutation + `":{"userErrors":[]}}}`
	switch {
	case may && mutation == "logIn":
		want = `{"data":{"logIn":{"userErrors":[{"code":"WRONG_CREDENTIALS"}]}}}`
	case may:
	case viewer == stranger:
		want = `"code":"UNAUTHENTICATED"`
	case mutation == "deleteComment" && viewer == as("somebody"): // who may not even see it
		want = `{"data":{"deleteComment":{"userErrors":[{"code":"NOT_FOUND"}]}}}`
	default:
		want = `"code":"FORBIDDEN"`
	}
	if !strings.Contains(body, want) {
		t.Errorf("%q may: %v, and gets %s", viewer.Username, may, body)
	}
	if diff := cmp.Diff(before, allCells(t, s.store)); !may && diff != "" {
		t.Errorf("%q may not, and yet changed (-before +after):\n%s", viewer.Username, diff)
	}
}

// listens checks whether a viewer subscribes to a timeline, or why not.
func (s *stage) listens(t *testing.T, viewer oracle.Viewer, may bool) {
	t.Helper()
	ctx, cancel := context.WithCancel(watchdog.With(t.Context(), s.store))
	defer cancel()
	want := apierr.Code("")
	if viewer == stranger {
		want = apierr.CodeUnauthenticated
	}
	if viewer != stranger {
		ctx = auth.WithViewer(ctx, auth.Viewer(viewer))
	}
	root := *s.root
	root.Live = live.New(s.store, live.Options{Visible: resolvers.Visible(root.Fresh)})
	go root.Live.Run(ctx)
	got := apierr.Code("")
	if _, err := root.Subscription().TimelineTwitAdded(ctx, nil); err != nil {
		public, _ := apierr.Of(err)
		got = public.Code
	}
	if got != want {
		t.Errorf("%q may: %v, and gets %q, want %q", viewer.Username, may, got, want)
	}
}
