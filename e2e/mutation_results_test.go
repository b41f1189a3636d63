package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"twibase/e2e/oracle"
	"twibase/transfer"
)

func folderOf(t *testing.T, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name+".csv"), []byte(text+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func (s *peopleGateway) mutate(t *testing.T, viewer oracle.Viewer, mutation, input, fields string) any {
	t.Helper()
	a, err := decodeAnswer(s.ask(t, s.ids.Replace(`mutation{`+mutation+`(input:`+input+`){`+fields+` clientMutationId userErrors{code message field}}}`), nil, viewer))
	payload := oracle.Get(a.Data, mutation)
	if err != nil || len(a.Errors) > 0 || len(oracle.Get(payload, "userErrors").(oracle.List)) > 0 {
		t.Fatalf("%s: %v %+v", mutation, err, a)
	}
	return payload
}

func (s *peopleGateway) query(t *testing.T, viewer oracle.Viewer, query string) any {
	t.Helper()
	a, err := decodeAnswer(s.ask(t, s.ids.Replace(query), nil, viewer))
	if err != nil || len(a.Errors) > 0 {
		t.Fatal(err, a.Errors)
	}
	return a.Data
}

func TestCreatedAndUpdatedUserIsReturned(t *testing.T) {
	s := newPeopleGateway(t, folderOf(t, people))
	const fields = `user{id username name email age avatarUrl createdAt version followerCount}`
	wantQueried := func(payload any) {
		t.Helper()
		user := oracle.Get(payload, "user")
		seen := s.query(t, as("boss"), fmt.Sprintf(`{user(username:%q){id username name email age avatarUrl createdAt version followerCount}}`, oracle.Get(user, "username")))
		if diff := cmp.Diff(sprint(oracle.Get(seen, "user")), sprint(user)); diff != "" {
			t.Errorf("(-query +payload):\n%s", diff)
		}
	}
	input := `{username:"young",name:"Young",email:"y@example.org",age:3,idempotencyKey:"k",clientMutationId:"x"}`
	made := s.mutate(t, as("boss"), "createUser", input, fields)
	wantQueried(made)
	if got := sprint(oracle.Get(made, "user", "name"), oracle.Get(made, "user", "age"),
		oracle.Get(made, "clientMutationId")); got != "Young3x" || oracle.Get(made, "user", "createdAt") == nil {
		t.Error(got)
	}
	again := s.mutate(t, as("boss"), "createUser", input, fields)
	if diff := cmp.Diff(sprint(made), sprint(again)); diff != "" {
		t.Errorf("the same key made another user:\n%s", diff)
	}
	version := oracle.Get(made, "user", "version")
	changed := s.mutate(t, as("young"), "updateUser", fmt.Sprintf(`{username:"young",email:null,age:4,avatarUrl:"https://example.org/y.jpg",expectedVersion:%q}`, version), fields)
	wantQueried(changed)
	if got := sprint(oracle.Get(changed, "user", "name"), oracle.Get(changed, "user", "age"), oracle.Get(changed, "user",
		"avatarUrl")); got != "Young4https://example.org/y.jpg" || oracle.Get(changed, "user", "email") != nil {
		t.Error(got)
	}
	if oracle.Get(changed, "user", "version") == version {
		t.Error("the version did not change")
	}
}

func TestRoleMutationsChangeRolesAndTheirUsers(t *testing.T) {
	s := newPeopleGateway(t, folderOf(t, people))
	boss := as("boss")
	const fields = `role{id code name version userCount department{code}}`
	role := func() string {
		t.Helper()
		return sprint(oracle.Get(s.query(t, boss, `{role(code:"tester"){id code name version userCount department{code}}}`),
			"role"))
	}
	wantQueried := func(payload any) {
		t.Helper()
		if diff := cmp.Diff(role(), sprint(oracle.Get(payload, "role"))); diff != "" {
			t.Errorf("(-query +payload):\n%s", diff)
		}
	}
	wantQueried(s.mutate(t, boss, "createRole", `{code:"tester",department:"dev",idempotencyKey:"k"}`, fields))
	wantQueried(s.mutate(t, boss, "createRole", `{code:"tester",department:"dev",idempotencyKey:"k"}`, fields))
	of := func(query string) string { t.Helper(); return sprint(s.query(t, boss, query)) }
	lists := `{department(code:"dev"){roles{totalCount nodes{code}}} owner:user(username:"owner"){hasRole(code:"tester") roles{totalCount nodes{code}}} role(code:"tester"){users{totalCount nodes{username}}}}`
	for _, step := range []struct{ mutation, input, fields, want string }{
		{"assignRole", `{username:"owner",role:"tester"}`, fields + ` user{username}`, "dev 2, owner 1, role 1"},
		{"assignRole", `{username:"owner",role:"tester"}`, fields, "dev 2, owner 1, role 1"},
		{"updateRole", `{code:"tester",name:"Tester",department:null}`, fields, "dev 1, owner 1, role 1"},
		{"updateRole", `{code:"tester",department:"dev"}`, fields, "dev 2, owner 1, role 1"},
		{"revokeRole", `{username:"owner",role:"tester"}`, fields, "dev 2, owner 0, role 0"},
		{"revokeRole", `{username:"owner",role:"tester"}`, fields, "dev 2, owner 0, role 0"},
		{"assignRole", `{username:"owner",role:"tester"}`, fields, "dev 2, owner 1, role 1"},
	} {
		wantQueried(s.mutate(t, boss, step.mutation, step.input, step.fields))
		data := s.query(t, boss, lists)
		got := fmt.Sprintf("dev %v, owner %v, role %v", oracle.Get(data, "department", "roles", "totalCount"),
			oracle.Get(data, "owner", "roles", "totalCount"), oracle.Get(data, "role", "users", "totalCount"))
		if got != step.want || oracle.Get(data, "owner", "hasRole") != strings.Contains(step.want, "owner 1") {
			t.Errorf("after %s of %s: got %s, want %s", step.mutation, step.input, got, step.want)
		}
	}
	before := role()
	gone := s.mutate(t, boss, "deleteRole", `{code:"tester"}`, fields+` deletedId`)
	if got := sprint(oracle.Get(gone, "role")); !strings.Contains(got, "tester") ||
		!strings.Contains(before, sprint(oracle.Get(gone, "deletedId"))) {
		t.Errorf("got the deleted role %s with the id %v, want %s", got, oracle.Get(gone, "deletedId"), before)
	}
	s.root.Writers.Close(t.Context())
	if got := of(lists); strings.Contains(got, "tester") || strings.Contains(got, "true") {
		t.Error(got)
	}
}

func peopleWithout(username string) map[string]string {
	rest := map[string]string{}
	for name, text := range people {
		var lines []string
		for i, line := range strings.Split(text, "\n") {
			belongs := strings.Contains(","+line+",", ","+username+",")
			if name == "comments" {
				belongs = belongs || username == "writer"
			}
			if name == "likes" { // the owner posted p and m, the writer w
				twit := strings.Split(line+",", ",")[1]
				belongs = belongs || username == "owner" && twit != "w" || username == "writer" && twit == "w"
			}
			if i == 0 || line != "" && !belongs {
				lines = append(lines, line)
			}
		}
		rest[name] = strings.Join(lines, "\n")
	}
	return rest
}

func TestDeletedUserLeavesNothing(t *testing.T) {
	const everything = `{users(first:100){nodes{id username name version followerCount followingCount twitCount
			followers{totalCount nodes{username}} following{totalCount nodes{username}} twits{totalCount nodes{id commentCount comments{nodes{id author{username}}} likeCount likes{totalCount nodes{username}}}} likedTwits{nodes{id}}
			album{totalCount nodes{id}} timeline{nodes{id}} roles{totalCount nodes{code}} games{totalCount nodes{code}}}}
		roles(first:100){nodes{code userCount users{totalCount nodes{username}}}}
		games(first:100){nodes{code isPlayed playerCount players{totalCount nodes{username}} plays(from:"1970-01-01",to:"9999-12-31"){day count}}}
		departments:topDepartments{nodes{code roles{totalCount nodes{code}} descendants{nodes{code roles{totalCount nodes{code}}}}}}}`
	for _, username := range []string{"owner", "writer", "fan", "third", "boss"} {
		t.Run(username, func(t *testing.T) {
			s := newPeopleGateway(t, folderOf(t, people))
			id := oracle.Get(s.query(t, root, fmt.Sprintf(`{user(username:%q){id}}`, username)), "user", "id")
			gone := s.mutate(t, as(username), "deleteUser", fmt.Sprintf(`{username:%q}`,
				username), `user{username name email} deletedId`)
			if got := oracle.Get(gone, "user", "name"); got != strings.ToUpper(username[:1])+username[1:] ||
				oracle.Get(gone, "deletedId") != id {
				t.Errorf("got the deleted user %v with the id %v, want %v", got, oracle.Get(gone, "deletedId"), id)
			}
			now := s.query(t, root, fmt.Sprintf(`{user(username:%q){id} node(id:%q){id} nodes(ids:[%[2]q]){id}}`, username, id))
			if got := sprint(now); strings.Contains(got, sprint(id)) {
				t.Error("the user still exists: ", got)
			}
			s.root.Writers.Close(t.Context())
			never := &peopleGateway{gateway: newGateway("embedded", inMemory(t)), ids: strings.NewReplacer()}
			importInto(t, never.store, folderOf(t, peopleWithout(username)), transfer.Options{})
			if diff := cmp.Diff(exported(t, never.store), exported(t, s.store)); diff != "" {
				t.Errorf("export (-never existed +deleted):\n%s", diff)
			}
			if diff := cmp.Diff(pretty(never.query(t, root, everything)), pretty(s.query(t, root, everything))); diff != "" {
				t.Errorf("response (-never existed +deleted):\n%s", diff)
			}
		})
	}
}

func pretty(v any) []string { return strings.SplitAfter(sprint(v), "}") }
