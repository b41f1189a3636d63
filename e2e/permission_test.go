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

// people has a user for each column of docs/PERMISSIONS.md.
var people = map[string]string{
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
	"likes":    "username,twit,liked_at\nthird,p,2014-06-05T00:00:00Z\nfan,p,2014-06-05T00:00:00Z\nfan,m,2014-06-06T00:00:00Z\nwriter,w,\nfan,w,",
	"games":    "id,name\nchess,Chess",
	"plays":    "username,game,day,count\nthird,chess,2014-12-25,2",
}

var tableViewers = []oracle.Viewer{unauthenticated, as("somebody"), as("owner"), as("writer"), as("fan"), as("boss")}

type visibleContent struct {
	text    string
	queries []string
}

// Angle brackets enclose the name of an id.
var visibleContents = map[string]visibleContent{
	"User.email": {"owner@example.org", []string{
		`{user(username:"owner"){email}}`, `{node(id:"<owner>"){...on User{email}}}`,
		`{nodes(ids:["<owner>"]){...on User{email}}}`,
		`{users(first:100){nodes{email}}}`, `{twit(id:"<p>"){author{email}}}`}},
	"User.timeline": {"by the writer", []string{
		`{user(username:"owner"){timeline{nodes{content}}}}`, `{node(id:"<owner>"){...on User{timeline{nodes{content}}}}}`,
		`{nodes(ids:["<owner>"]){...on User{timeline{edges{node{content}}}}}}`}},
	"Twit, for everybody": {"for everybody", []string{
		`{twit(id:"<p>"){content}}`, `{node(id:"<p>"){...on Twit{content}}}`, `{nodes(ids:["<p>"]){...on Twit{content}}}`,
		`{user(username:"owner"){twits{nodes{content}}}}`}},
	"Twit, for followers": {"a moment", []string{
		`{twit(id:"<m>"){content}}`, `{node(id:"<m>"){...on Twit{content}}}`,
		`{nodes(ids:["<p>","<m>"]){...on Twit{content}}}`,
		`{user(username:"owner"){twits{nodes{content}}}}`, `{user(username:"owner"){album{nodes{content}}}}`}},
	"User.twitCount, User.album.totalCount": {`2,"album":{"totalCount":1`, []string{
		`{user(username:"owner"){twitCount album{totalCount}}}`,
		`{node(id:"<owner>"){...on User{twitCount album{totalCount}}}}`,
		`{nodes(ids:["<owner>"]){...on User{twitCount album{totalCount}}}}`}},
	"Comment": {"a remark", []string{
		`{node(id:"<remark>"){...on Comment{content}}}`, `{nodes(ids:["<remark>"]){...on Comment{content}}}`,
		`{twit(id:"<w>"){comments{nodes{content}}}}`}},
}

var mutationInputs = map[string]string{
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

func TestPermissionsMatchTheirTable(parent *testing.T) {
	folder := folderOf(parent, people)
	var shared *peopleGateway
	for _, row := range permissionRows(parent) {
		parent.Run(row.what, func(t *testing.T) {
			for i, allowed := range row.allowed {
				if shared == nil {
					shared = newPeopleGateway(parent, folder)
				}
				if content, ok := visibleContents[row.what]; ok {
					for _, query := range content.queries {
						shared.checkSees(t, tableViewers[i], query, content.text, allowed)
					}
				} else if row.what == "timelineTwitAdded" || row.what == "followerChanged" {
					shared.checkSubscribe(t, tableViewers[i], row.what, allowed)
				} else if input, ok := mutationInputs[row.what]; ok {
					if shared.checkMutation(t, tableViewers[i], row.what, input, allowed); allowed {
						shared = nil
					}
				} else {
					t.Fatal("untested row: add it to visibleContents or mutationInputs")
				}
			}
		})
	}
}

type permissionRow struct {
	what    string
	allowed []bool
}

func permissionRows(t *testing.T) (rows []permissionRow) {
	t.Helper()
	text, err := os.ReadFile("../docs/PERMISSIONS.md")
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(string(text),
		"| what | anonymous | user | owner | twit's author | follower | administrator |\n|---|---|---|---|---|---|---|\n")
	for line := range strings.Lines(body) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if len(cells) != len(tableViewers)+1 {
			break
		}
		r := permissionRow{what: strings.ReplaceAll(strings.TrimPrefix(cells[0], "| "), "`", "")}
		for _, cell := range cells[1:] {
			r.allowed = append(r.allowed, strings.TrimSuffix(cell, " |") == "yes")
		}
		rows = append(rows, r)
	}
	if len(rows) == 0 {
		t.Fatal("docs/PERMISSIONS.md has no table")
	}
	return rows
}

type peopleGateway struct {
	*gateway
	ids *strings.Replacer
}

func newPeopleGateway(t *testing.T, folder string) *peopleGateway {
	t.Helper()
	s := &peopleGateway{gateway: newGateway("embedded", inMemory(t))}
	importInto(t, s.store, folder, transfer.Options{})
	ids, err := decodeAnswer(s.ask(t, `{owner:user(username:"owner"){id twits{nodes{id}}} writer:user(username:"writer"){twits{nodes{id comments{nodes{id}}}}}}`, nil, root))
	if err != nil || len(ids.Errors) > 0 {
		t.Fatal(err, ids.Errors)
	}
	twits := oracle.Get(ids.Data, "owner", "twits", "nodes").(oracle.List)
	w := oracle.Get(ids.Data, "writer", "twits", "nodes").(oracle.List)[0]
	remark := oracle.Get(w, "comments", "nodes").(oracle.List)[0]
	s.ids = strings.NewReplacer(
		"<owner>", fmt.Sprint(oracle.Get(ids.Data, "owner", "id")),
		"<m>", fmt.Sprint(oracle.Get(twits[0], "id")),
		"<p>", fmt.Sprint(oracle.Get(twits[1], "id")),
		"<w>", fmt.Sprint(oracle.Get(w, "id")),
		"<remark>", fmt.Sprint(oracle.Get(remark, "id")),
	)
	return s
}

// A hidden object causes no error.
func (s *peopleGateway) checkSees(t *testing.T, viewer oracle.Viewer, query, text string, allowed bool) {
	t.Helper()
	body := string(s.ask(t, s.ids.Replace(query), nil, viewer))
	if strings.Contains(body, text) != allowed || strings.Contains(body, `"errors"`) {
		t.Errorf("%q: sees %q with %s: got %s, want %t", viewer.Username, text, query, body, allowed)
	}
}

func (s *peopleGateway) checkMutation(t *testing.T, viewer oracle.Viewer, mutation, input string, allowed bool) {
	t.Helper()
	before := allCells(t, s.store)
	body := string(s.ask(t, s.ids.Replace(`mutation{`+mutation+`(input:`+input+`){userErrors{code}}}`), nil, viewer))
	want := `{"data":{"` + mutation + `":{"userErrors":[]}}}`
	switch {
	case allowed && mutation == "logIn":
		want = `{"data":{"logIn":{"userErrors":[{"code":"WRONG_CREDENTIALS"}]}}}`
	case allowed:
	case viewer == unauthenticated:
		want = `"code":"UNAUTHENTICATED"`
	case mutation == "deleteComment" && viewer == as("somebody"):
		want = `{"data":{"deleteComment":{"userErrors":[{"code":"NOT_FOUND"}]}}}`
	default:
		want = `"code":"FORBIDDEN"`
	}
	if !strings.Contains(body, want) {
		t.Errorf("%q (allowed: %v) gets %s", viewer.Username, allowed, body)
	}
	if diff := cmp.Diff(before, allCells(t, s.store)); !allowed && diff != "" {
		t.Errorf("%q is not allowed, but changed the store (-before +after):\n%s", viewer.Username, diff)
	}
}

func (s *peopleGateway) checkSubscribe(t *testing.T, viewer oracle.Viewer, field string, allowed bool) {
	t.Helper()
	ctx, cancel := context.WithCancel(watchdog.With(t.Context(), s.store))
	defer cancel()
	want := apierr.Code("")
	if viewer == unauthenticated {
		want = apierr.CodeUnauthenticated
	}
	if viewer != unauthenticated {
		ctx = auth.WithViewer(ctx, auth.Viewer(viewer))
	}
	root := *s.root
	root.Live = live.New(s.store, live.Options{Visible: resolvers.Visible(root.WithLoaders)})
	go root.Live.Run(ctx)
	got := apierr.Code("")
	var err error
	if field == "followerChanged" {
		_, err = root.Subscription().FollowerChanged(ctx, nil)
	} else {
		_, err = root.Subscription().TimelineTwitAdded(ctx, nil)
	}
	if err != nil {
		public, _ := apierr.Of(err)
		got = public.Code
	}
	if got != want {
		t.Errorf("%q (allowed: %v) gets %q, want %q", viewer.Username, allowed, got, want)
	}
}
