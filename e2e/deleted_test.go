package e2e

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"twibase/e2e/oracle"
	"twibase/graph/auth"
	"twibase/hbase"
	"twibase/hbase/hbasetest"
	"twibase/hbase/tables"
	"twibase/live"
	"twibase/loaders"
	"twibase/resolvers"
)

// decided makes a deletion as it is when it is decided: nothing has been cleaned up.
func (s *stage) decided(t *testing.T, table, key string) {
	t.Helper()
	put := hbase.Put{Table: table, Row: tables.RowKey(key), Cells: []hbase.Cell{
		{Family: tables.Attributes, Qualifier: "name", Timestamp: 1 << 52, Value: []byte(tables.Gone)}}}
	if errs, err := s.store.Mutate(t.Context(), []hbase.Mutation{put}); err != nil || errs != nil {
		t.Fatal(err, errs)
	}
}

func TestNobodySeesWhatADeletedUserPostedFromTheDecisionOn(t *testing.T) {
	s := newStage(t, folderOf(t, cast))
	ways := []string{`{twit(id:"<p>"){content}}`, `{node(id:"<p>"){...on Twit{content}}}`, `{nodes(ids:["<p>","<m>"]){...on Twit{content}}}`,
		`{user(username:"owner"){twits{nodes{content}}}}`,
		`{user(username:"writer"){followers{nodes{username twits{nodes{content}} album{nodes{content}} early:twits(last:5){nodes{content}}}}}}`,
		`{user(username:"fan"){timeline{nodes{content}}}}`}
	shown := func(viewer oracle.Viewer) (n int) {
		t.Helper()
		for _, way := range ways {
			body := string(s.ask(t, s.ids.Replace(way), nil, viewer))
			if strings.Contains(body, `"errors"`) {
				t.Fatal(body)
			}
			if strings.Contains(body, "for everybody") || strings.Contains(body, "a moment") {
				n++
			}
		}
		return n
	}
	all := append([]oracle.Viewer{root}, askers...)
	for _, viewer := range all {
		if shown(viewer) == 0 {
			t.Errorf("%q sees nothing of a user who is there", viewer.Username)
		}
	}
	s.decided(t, "users", "owner")
	for _, viewer := range all {
		if n := shown(viewer); n > 0 {
			t.Errorf("%q sees twits of a deleted user on %d ways", viewer.Username, n)
		}
	}
	for _, viewer := range []oracle.Viewer{as("owner"), as("boss")} {
		for _, mutation := range []string{`deleteTwit(input:{id:"<p>"})`, `addComment(input:{twitId:"<p>",content:"new"})`} {
			body := string(s.ask(t, s.ids.Replace(`mutation{`+mutation+`{userErrors{code}}}`), nil, viewer))
			if !strings.Contains(body, "NOT_FOUND") {
				t.Errorf("%q can still %s: %s", viewer.Username, mutation, body)
			}
		}
	}
}

func TestACommentGoesWithTheAuthorOfItsTwit(t *testing.T) {
	s := newStage(t, folderOf(t, cast))
	const way = `{node(id:"<remark>"){...on Comment{content}}}`
	s.sees(t, root, way, "a remark", true)
	s.decided(t, "users", "writer")
	for _, viewer := range append([]oracle.Viewer{root}, askers...) {
		s.sees(t, viewer, way, "a remark", false)
	}
}

func TestNothingIsRelatedToWhatWasDeleted(t *testing.T) {
	for _, test := range []struct{ table, key, question string }{
		{"users", "owner", `{user(username:"fan"){is:isFollowing(username:"owner")}}`},
		{"users", "fan", `{user(username:"owner"){is:viewerFollows}}`},
		{"roles", "developer", `{user(username:"third"){is:hasRole(code:"developer")}}`},
		{"games", "chess", `{user(username:"third"){is:hasPlayed(code:"chess")}}`},
	} {
		s := newStage(t, folderOf(t, cast))
		if is := oracle.Get(s.query(t, as("fan"), test.question), "user", "is"); is != true {
			t.Fatalf("%s: %v", test.question, is)
		}
		s.decided(t, test.table, test.key)
		if is := oracle.Get(s.query(t, as("fan"), test.question), "user", "is"); is != false {
			t.Errorf("%s, which was deleted: %s is %v", test.key, test.question, is)
		}
	}
}

// administer is what only administrators may, by name.
const administer = `mutation{createDepartment(input:{code:"new",name:"New"}){userErrors{code}}}`

func TestWhoWasDeletedIsAStrangerFromTheDecisionOn(t *testing.T) {
	s := newStage(t, folderOf(t, cast))
	s.sees(t, as("boss"), `{user(username:"owner"){email}}`, "owner@example.org", true)
	s.sees(t, as("fan"), `{twit(id:"<m>"){content}}`, "a moment", true)
	for _, username := range []string{"boss", "fan"} {
		s.decided(t, "users", username)
		s.sees(t, as(username), `{user(username:"owner"){email}}`, "owner@example.org", false)
		s.sees(t, as(username), `{twit(id:"<m>"){content}}`, "a moment", false)
		s.sees(t, as(username), `{viewer{username}}`, username, false)
		if body := string(s.ask(t, administer, nil, as(username))); !strings.Contains(body, `"code":"UNAUTHENTICATED"`) {
			t.Errorf("%s, who was deleted, administers: %s", username, body)
		}
	}
}

func TestNobodyIsAnAdministratorWhenTheRoleIsDeleted(t *testing.T) {
	s := newStage(t, folderOf(t, cast))
	s.decided(t, "roles", "admin")
	s.sees(t, as("boss"), `{user(username:"owner"){email}}`, "owner@example.org", false)
	if body := string(s.ask(t, administer, nil, as("boss"))); !strings.Contains(body, `"code":"FORBIDDEN"`) {
		t.Errorf("who had the role administers: %s", body)
	}
	made := oracle.Viewer(auth.Viewer{Username: "boss", Admin: true})
	if body := string(s.ask(t, administer, nil, made)); !strings.Contains(body, `"userErrors":[]`) {
		t.Error(fmt.Sprint("whose token makes an administrator does not: ", body))
	}
}

func TestNobodyElseSeesTheCommentsOfADeletedUserFromTheDecisionOn(t *testing.T) {
	s := newStage(t, folderOf(t, cast))
	ways := []string{`{node(id:"<remark>"){...on Comment{content}}}`, `{nodes(ids:["<remark>"]){...on Comment{content}}}`,
		`{twit(id:"<w>"){comments{nodes{content}}}}`, `{user(username:"writer"){twits{nodes{comments(last:5){edges{node{content}}}}}}}`}
	seeing := []oracle.Viewer{root, as("writer"), as("fan"), as("boss")} // an administrator, the twit's author, a follower
	for _, way := range ways {
		for _, viewer := range seeing {
			s.sees(t, viewer, way, "a remark", true)
		}
	}
	s.decided(t, "users", "owner")
	for _, way := range ways {
		for _, viewer := range seeing {
			s.sees(t, viewer, way, "a remark", false)
		}
		s.sees(t, as("owner"), way, "a remark", true)
	}
	for _, viewer := range seeing {
		if body := string(s.ask(t, s.ids.Replace(`mutation{deleteComment(input:{id:"<remark>"}){userErrors{code}}}`), nil, viewer)); !strings.Contains(body, "NOT_FOUND") {
			t.Errorf("%q is told of it: %s", viewer.Username, body)
		}
	}
}

func TestNobodyHearsOfATwitWhoseAuthorIsDeletedMeanwhile(t *testing.T) {
	s := newStage(t, folderOf(t, cast))
	pages, err := loaders.Twits.Page(watchdog.With(t.Context(), s.store), []loaders.PageKey{{Owner: "owner", Range: loaders.Range{Limit: 2}}})
	if err != nil {
		t.Fatal(err)
	}
	twit := pages[0].Members[1] // for everybody
	var sights []live.Candidate
	for range 100 {
		sights = append(sights, live.Candidate{Subscriber: t.Context(), Kind: live.Posts, Owner: "owner", Key: twit.Key(), Twit: twit},
			live.Candidate{Subscriber: t.Context(), Kind: live.Timeline, Owner: "fan", Key: twit.Key(), Twit: twit})
	}
	recorder := hbasetest.NewRecorder(s.store, hbasetest.Names{})
	see := resolvers.Visible(func(ctx context.Context) context.Context { return watchdog.With(ctx, recorder) })
	told := func() (n int) {
		t.Helper()
		recorder.Reset()
		twits, errs := see(t.Context(), sights)
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
		for _, twit := range twits {
			if twit != nil {
				n++
			}
		}
		if calls := recorder.Calls(); len(calls) != 1 {
			t.Errorf("that takes %d rounds: %q", len(calls), calls)
		}
		return n
	}
	if n := told(); n != len(sights) {
		t.Errorf("%d of %d subscribers are told what is there", n, len(sights))
	}
	s.decided(t, "users", "owner")
	if n := told(); n != 0 {
		t.Errorf("%d are told what a deleted user posted", n)
	}
}
