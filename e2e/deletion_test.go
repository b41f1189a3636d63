package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"twibase/e2e/oracle"
	"twibase/graph/auth"
	"twibase/graph/relay"
	"twibase/hbase"
	"twibase/hbase/hbasetest"
	"twibase/hbase/tables"
	"twibase/live"
	"twibase/loaders"
	"twibase/resolvers"
	"twibase/transfer"
)

func TestPayloadOfDeletionHasEmptyLists(t *testing.T) {
	for _, test := range []struct{ mutation, input, of, selected, want string }{
		{"deleteUser", `{username:"owner"}`, "user",
			`name followerCount followingCount twitCount followers{totalCount nodes{username name}} following{totalCount nodes{username}} twits{nodes{content}} album{nodes{content}} timeline{nodes{content}} isFollowing(username:"writer")`,
			`"name":"Owner","followerCount":1,"followingCount":1,"twitCount":2,"followers":{"totalCount":0,"nodes":[]},"following":{"totalCount":0,"nodes":[]},"twits":{"nodes":[]},"album":{"nodes":[]},"timeline":{"nodes":[]},"isFollowing":false`},
		{"deleteUser", `{username:"third"}`, "user",
			`name roles{totalCount nodes{code name}} games{totalCount nodes{code}} hasRole(code:"developer")`,
			`"name":"Third","roles":{"totalCount":0,"nodes":[]},"games":{"totalCount":0,"nodes":[]},"hasRole":false`},
		{"deleteRole", `{code:"developer"}`, "role", `name userCount department{name} users{totalCount nodes{username}}`,
			`"name":"Developer","userCount":1,"department":{"name":"Development"},"users":{"totalCount":0,"nodes":[]}`},
		{"deleteDepartment", `{code:"ceo",moveChildrenUp:true}`, "department",
			`name subDepartments{nodes{code}} descendants{nodes{code}}`,
			`"name":"CEO","subDepartments":{"nodes":[]},"descendants":{"nodes":[]}`},
		{"deleteDepartment", `{code:"dev"}`, "department", `name parent{name} roles{totalCount nodes{code}}`,
			`"name":"Development","parent":{"name":"CEO"},"roles":{"totalCount":0,"nodes":[]}`},
		{"deleteGame", `{code:"chess"}`, "game",
			`name playerCount isPlayed players{totalCount nodes{username}} plays(from:"1970-01-01",to:"9999-12-31"){count}`,
			`"name":"Chess","playerCount":1,"isPlayed":false,"players":{"totalCount":0,"nodes":[]},"plays":[]`},
		{"deleteTwit", `{id:"<w>"}`, "twit",
			`content commentCount author{name twitCount} comments{totalCount nodes{content}}`,
			`"content":"by the writer","commentCount":0,"author":{"name":"Writer","twitCount":0},"comments":{"totalCount":0,"nodes":[]}`},
		{"deleteComment", `{id:"<remark>"}`, "comment",
			`content author{name} twit{content commentCount comments{nodes{content}}}`,
			`"content":"a remark","author":{"name":"Owner"},"twit":{"content":"by the writer","commentCount":0,"comments":{"nodes":[]}}`},
	} {
		t.Run(test.mutation+test.input, func(t *testing.T) {
			s := newPeopleGateway(t, folderOf(t, people))
			mutation := s.ids.Replace(fmt.Sprintf(`mutation{%s(input:%s){%s{%s}}}`,
				test.mutation, test.input, test.of, test.selected))
			want := fmt.Sprintf(`{"data":{%q:{%q:{%s}}}}`, test.mutation, test.of, test.want)
			if got := string(s.ask(t, mutation, nil, root)); got != want {
				t.Errorf("got\n%s, want\n%s", got, want)
			}
		})
	}
}

func TestRecreatedRoleHasNothingOfDeletedOne(t *testing.T) {
	s := newPeopleGateway(t, folderOf(t, people))
	got := string(s.ask(t, `mutation{a:deleteRole(input:{code:"developer"}){role{users{totalCount}}} b:createRole(input:{code:"developer",name:"Anew"}){role{name}} c:assignRole(input:{username:"fan",role:"developer"}){role{name users{nodes{username}}}}}`, nil, root))
	want := `{"data":{"a":{"role":{"users":{"totalCount":0}}},"b":{"role":{"name":"Anew"}},"c":{"role":{"name":"Anew","users":{"nodes":[{"username":"fan"}]}}}}}`
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func (s *peopleGateway) commitDeletion(t *testing.T, table, key string) {
	t.Helper()
	put := hbase.Put{Table: table, Row: tables.RowKey(key), Cells: []hbase.Cell{
		{Family: tables.Attributes, Qualifier: "name", Timestamp: 1 << 52, Value: []byte(tables.DeletedValue)}}}
	if errs, err := s.store.Mutate(t.Context(), []hbase.Mutation{put}); err != nil || errs != nil {
		t.Fatal(err, errs)
	}
}

func TestTwitsOfDeletedUserAreHiddenFromCommit(t *testing.T) {
	s := newPeopleGateway(t, folderOf(t, people))
	queries := []string{`{twit(id:"<p>"){content}}`, `{node(id:"<p>"){...on Twit{content}}}`,
		`{nodes(ids:["<p>","<m>"]){...on Twit{content}}}`,
		`{user(username:"owner"){twits{nodes{content}}}}`,
		`{user(username:"writer"){followers{nodes{username twits{nodes{content}} album{nodes{content}} early:twits(last:5){nodes{content}}}}}}`,
		`{user(username:"fan"){timeline{nodes{content}}}}`}
	visible := func(viewer oracle.Viewer) (n int) {
		t.Helper()
		for _, query := range queries {
			body := string(s.ask(t, s.ids.Replace(query), nil, viewer))
			if strings.Contains(body, `"errors"`) {
				t.Fatal(body)
			}
			if strings.Contains(body, "for everybody") || strings.Contains(body, "a moment") {
				n++
			}
		}
		return n
	}
	all := append([]oracle.Viewer{root}, tableViewers...)
	for _, viewer := range all {
		if visible(viewer) == 0 {
			t.Errorf("%q sees no twit of an existing user", viewer.Username)
		}
	}
	s.commitDeletion(t, "users", "owner")
	for _, viewer := range all {
		if n := visible(viewer); n > 0 {
			t.Errorf("%q sees twits of a deleted user with %d queries", viewer.Username, n)
		}
	}
	for _, viewer := range []oracle.Viewer{as("owner"), as("boss")} {
		for _, mutation := range []string{`deleteTwit(input:{id:"<p>"})`, `addComment(input:{twitId:"<p>",content:"new"})`} {
			body := string(s.ask(t, s.ids.Replace(`mutation{`+mutation+`{userErrors{code}}}`), nil, viewer))
			if !strings.Contains(body, "NOT_FOUND") {
				t.Errorf("%q can %s: %s", viewer.Username, mutation, body)
			}
		}
	}
}

func TestCommentsOnTwitsOfDeletedUserAreHidden(t *testing.T) {
	s := newPeopleGateway(t, folderOf(t, people))
	const query = `{node(id:"<remark>"){...on Comment{content}}}`
	s.checkSees(t, root, query, "a remark", true)
	s.commitDeletion(t, "users", "writer")
	for _, viewer := range append([]oracle.Viewer{root}, tableViewers...) {
		s.checkSees(t, viewer, query, "a remark", false)
	}
}

func TestDeletedObjectsAreUnrelated(t *testing.T) {
	for _, test := range []struct{ table, key, query string }{
		{"users", "owner", `{user(username:"fan"){is:isFollowing(username:"owner")}}`},
		{"users", "fan", `{user(username:"owner"){is:viewerFollows}}`},
		{"roles", "developer", `{user(username:"third"){is:hasRole(code:"developer")}}`},
		{"games", "chess", `{user(username:"third"){is:hasPlayed(code:"chess")}}`},
	} {
		s := newPeopleGateway(t, folderOf(t, people))
		if is := oracle.Get(s.query(t, as("fan"), test.query), "user", "is"); is != true {
			t.Fatalf("%s: %v", test.query, is)
		}
		s.commitDeletion(t, test.table, test.key)
		if is := oracle.Get(s.query(t, as("fan"), test.query), "user", "is"); is != false {
			t.Errorf("%s was deleted: %s is %v, want false", test.key, test.query, is)
		}
	}
}

const administratorMutation = `mutation{createDepartment(input:{code:"new",name:"New"}){userErrors{code}}}`

func TestDeletedViewerIsAnonymousFromCommit(t *testing.T) {
	s := newPeopleGateway(t, folderOf(t, people))
	s.checkSees(t, as("boss"), `{user(username:"owner"){email}}`, "owner@example.org", true)
	s.checkSees(t, as("fan"), `{twit(id:"<m>"){content}}`, "a moment", true)
	for _, username := range []string{"boss", "fan"} {
		s.commitDeletion(t, "users", username)
		s.checkSees(t, as(username), `{user(username:"owner"){email}}`, "owner@example.org", false)
		s.checkSees(t, as(username), `{twit(id:"<m>"){content}}`, "a moment", false)
		s.checkSees(t, as(username), `{viewer{username}}`, username, false)
		if body := string(s.ask(t, administratorMutation, nil, as(username))); !strings.Contains(body,
			`"code":"UNAUTHENTICATED"`) {
			t.Errorf("%s was deleted, and is still an administrator: %s", username, body)
		}
	}
}

func TestDeletedAdminRoleGrantsNothing(t *testing.T) {
	s := newPeopleGateway(t, folderOf(t, people))
	s.commitDeletion(t, "roles", "admin")
	s.checkSees(t, as("boss"), `{user(username:"owner"){email}}`, "owner@example.org", false)
	if body := string(s.ask(t, administratorMutation, nil, as("boss"))); !strings.Contains(body, `"code":"FORBIDDEN"`) {
		t.Errorf("a deleted role makes an administrator: %s", body)
	}
	byToken := oracle.Viewer(auth.Viewer{Username: "boss", Admin: true})
	if body := string(s.ask(t, administratorMutation, nil, byToken)); !strings.Contains(body, `"userErrors":[]`) {
		t.Error("a token of an administrator is rejected: ", body)
	}
}

func TestCommentsOfDeletedUserAreHiddenFromCommit(t *testing.T) {
	s := newPeopleGateway(t, folderOf(t, people))
	queries := []string{`{node(id:"<remark>"){...on Comment{content}}}`,
		`{nodes(ids:["<remark>"]){...on Comment{content}}}`,
		`{twit(id:"<w>"){comments{nodes{content}}}}`,
		`{user(username:"writer"){twits{nodes{comments(last:5){edges{node{content}}}}}}}`}
	allowed := []oracle.Viewer{root, as("writer"), as("fan"), as("boss")}
	for _, query := range queries {
		for _, viewer := range allowed {
			s.checkSees(t, viewer, query, "a remark", true)
		}
	}
	s.commitDeletion(t, "users", "owner")
	for _, query := range queries {
		for _, viewer := range allowed {
			s.checkSees(t, viewer, query, "a remark", false)
		}
		s.checkSees(t, as("owner"), query, "a remark", true)
	}
	for _, viewer := range allowed {
		if body := string(s.ask(t, s.ids.Replace(`mutation{deleteComment(input:{id:"<remark>"}){userErrors{code}}}`), nil,
			viewer)); !strings.Contains(body, "NOT_FOUND") {
			t.Errorf("%q does not get NOT_FOUND: %s", viewer.Username, body)
		}
	}
}

func TestTwitsOfDeletedUserAreNotDelivered(t *testing.T) {
	s := newPeopleGateway(t, folderOf(t, people))
	pages, err := loaders.Twits.Page(watchdog.With(t.Context(), s.store),
		[]loaders.PageKey{{Owner: "owner", Range: &loaders.Range{Limit: 2}}})
	if err != nil {
		t.Fatal(err)
	}
	twit := pages[0].Members[1]
	key := live.Key{Owner: "owner", Position: pages[0].Positions[1]}
	var candidates []live.Candidate
	for range 100 {
		candidates = append(candidates,
			live.Candidate{Subscriber: t.Context(), Kind: live.Posts, Owner: "owner", Key: key, Entry: twit},
			live.Candidate{Subscriber: t.Context(), Kind: live.Timeline, Owner: "fan", Key: key, Entry: twit})
	}
	recorder := hbasetest.NewRecorder(s.store, hbasetest.Names{})
	visible := resolvers.Visible(loadersOver(recorder))
	delivered := func() (n int) {
		t.Helper()
		recorder.Reset()
		twits, errs := visible(t.Context(), candidates)
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
		for _, twit := range twits {
			if twit != nil {
				n++
			}
		}
		if calls := recorder.Calls(); len(calls) != 1 {
			t.Errorf("got %d rounds, want 1: %q", len(calls), calls)
		}
		return n
	}
	if n := delivered(); n != len(candidates) {
		t.Errorf("an existing twit is delivered to %d of %d subscribers", n, len(candidates))
	}
	s.commitDeletion(t, "users", "owner")
	if n := delivered(); n != 0 {
		t.Errorf("the twit of a deleted user is delivered to %d subscribers", n)
	}
}

func TestListsOmitDeletedUsersFromCommit(t *testing.T) {
	s := newPeopleGateway(t, folderOf(t, people))
	fan := fmt.Sprintf("%q", oracle.Get(s.query(t, unauthenticated, `{user(username:"fan"){id}}`), "user", "id"))
	s.commitDeletion(t, "users", "fan")
	s.commitDeletion(t, "users", "owner")
	for _, test := range []struct {
		name, query, want string
		viewer            oracle.Viewer
	}{
		{"nodes", `{twit(id:"<w>"){likes{nodes{name}}}}`, `{"twit":{"likes":{"nodes":[{"name":"Writer"}]}}}`, unauthenticated},
		{"edges", `{user(username:"writer"){followers{edges{node{name}}}}}`, `{"user":{"followers":{"edges":[]}}}`, unauthenticated},
		{"keys are not checked", `{user(username:"writer"){followers{nodes{username}}}}`,
			`{"user":{"followers":{"nodes":[{"username":"owner"}]}}}`, unauthenticated},
		{"objects by id", `{nodes(ids:[` + fan + `]){... on User{name}}}`, `{"nodes":[null]}`, unauthenticated},
		{"a comment of a deleted viewer", `{twit(id:"<w>"){comments{nodes{content}}}}`,
			`{"twit":{"comments":{"nodes":[{"content":"a remark"}]}}}`, as("owner")},
		{"a comment with its deleted author", `{twit(id:"<w>"){comments{nodes{content author{name}}}}}`,
			`{"twit":{"comments":{"nodes":[]}}}`, as("owner")},
		{"a comment by its id", `{node(id:"<remark>"){... on Comment{content author{name}}}}`, `{"node":null}`, as("owner")},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := string(s.ask(t, s.ids.Replace(test.query), nil, test.viewer)); got != `{"data":`+test.want+`}` {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestRootPagesContinueAfterDeletedObjects(t *testing.T) {
	store := inMemory(t)
	users, roles, games := "username,name\n", "id,name,department\n", "id,name\n"
	for i := range 20 {
		users, roles, games = users+fmt.Sprintf("u%02d,U\n", i), roles+fmt.Sprintf("r%02d,R,\n", i),
			games+fmt.Sprintf("g%02d,G\n", i)
	}
	importInto(t, store, folderOf(t, map[string]string{"users": users, "roles": roles, "games": games}),
		transfer.Options{})
	s := &peopleGateway{gateway: newGateway("embedded", store)}
	for i := range 20 {
		if i%4 != 0 {
			s.commitDeletion(t, "users", fmt.Sprintf("u%02d", i))
			s.commitDeletion(t, "roles", fmt.Sprintf("r%02d", i))
			s.commitDeletion(t, "games", fmt.Sprintf("g%02d", i))
		}
	}
	handler := newReportHandler(store, plannedSchema())
	for _, root := range []struct{ field, name, prefix string }{
		{"users", "username", "u"},
		{"roles", "code", "r"},
		{"games", "code", "g"},
	} {
		want := []string{root.prefix + "00", root.prefix + "04", root.prefix + "08", root.prefix + "12", root.prefix + "16"}
		for _, direction := range []struct{ size, from, end, more string }{
			{"first", "after", "endCursor", "hasNextPage"},
			{"last", "before", "startCursor", "hasPreviousPage"},
		} {
			for size := 1; size <= 21; size += 4 {
				var got []string
				cursor := "null"
				for more := true; more; {
					var answer struct {
						Data map[string]struct {
							Edges []struct {
								Cursor string
								Node   map[string]string
							}
							PageInfo map[string]any
						}
					}
					body := sendQuery(t, handler, fmt.Sprintf(`{%s(%s:%d,%s:%s){edges{cursor node{%s}} pageInfo{%s %s}}}`,
						root.field, direction.size, size, direction.from, cursor, root.name, direction.end, direction.more), "")
					if err := json.Unmarshal(body, &answer); err != nil || len(got) > 20 {
						t.Fatal(err, string(excerpt(body)))
					}
					page := answer.Data[root.field]
					for _, edge := range page.Edges {
						got = append(got, edge.Node[root.name])
					}
					if more = page.PageInfo[direction.more] == true; more {
						cursor = fmt.Sprintf("%q", page.PageInfo[direction.end])
					}
				}
				if slices.Sort(got); !slices.Equal(got, want) {
					t.Errorf("pages of the %s %d %s have %v, want %v", direction.size, size, root.field, got, want)
				}
			}
		}
	}
}

func TestRepeatedDeletionOfATwitHasTheSameResult(t *testing.T) {
	s := newPeopleGateway(t, folderOf(t, people))
	never := tables.Twit{AuthorName: "writer", PostedAt: time.UnixMilli(1), Name: "never"}
	ids := map[string]string{"deleted": s.ids.Replace("<w>"), "never posted": strings.Trim(string(relay.AppendID(nil, never.ID())), `"`)}
	ask := func(viewer oracle.Viewer, twit string) string {
		t.Helper()
		return string(s.ask(t, fmt.Sprintf(`mutation{deleteTwit(input:{id:%q}){deletedId twit{id} userErrors{code field}}}`,
			ids[twit]), nil, viewer))
	}
	if got := ask(as("writer"), "deleted"); !strings.Contains(got, `"deletedId":"`+ids["deleted"]+`"`) {
		t.Fatal(got)
	}
	again := `{"data":{"deleteTwit":{"deletedId":"` + ids["deleted"] + `","twit":null,"userErrors":[]}}}`
	notFound := `{"data":{"deleteTwit":{"deletedId":null,"twit":null,"userErrors":[{"code":"NOT_FOUND","field":"id"}]}}}`
	for _, test := range []struct {
		name   string
		viewer oracle.Viewer
		twit   string
		want   string
	}{
		{"the author", as("writer"), "deleted", again},
		{"the author, once more", as("writer"), "deleted", again},
		{"an administrator", root, "deleted", again},
		{"the author, of a twit that was never posted", as("writer"), "never posted", notFound},
		{"an administrator, of a twit that was never posted", root, "never posted", notFound},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := ask(test.viewer, test.twit); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
	t.Run("another viewer gets the same error for both", func(t *testing.T) {
		of := func(twit string) string { return strings.ReplaceAll(ask(as("fan"), twit), ids[twit], "ID") }
		if deleted, other := of("deleted"), of("never posted"); deleted != other || !strings.Contains(deleted, `"FORBIDDEN"`) {
			t.Errorf("got %s, and %s of a twit that was never posted", deleted, other)
		}
	})
}
