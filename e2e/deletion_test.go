package e2e

import (
	"fmt"
	"testing"
)

// What a deletion shows does not depend on how far the clean-up is: what was deleted has what its row said, and nothing in its lists.
func TestAPayloadHasWhatWasDeletedWithoutItsLists(t *testing.T) {
	for _, test := range []struct{ mutation, input, of, selected, want string }{
		{"deleteUser", `{username:"owner"}`, "user",
			`name followerCount followingCount twitCount followers{totalCount nodes{username name}} following{totalCount nodes{username}} twits{nodes{content}} album{nodes{content}} timeline{nodes{content}} isFollowing(username:"writer")`,
			`"name":"Owner","followerCount":1,"followingCount":1,"twitCount":2,"followers":{"totalCount":0,"nodes":[]},"following":{"totalCount":0,"nodes":[]},"twits":{"nodes":[]},"album":{"nodes":[]},"timeline":{"nodes":[]},"isFollowing":false`},
		{"deleteUser", `{username:"third"}`, "user", `name roles{totalCount nodes{code name}} games{totalCount nodes{code}} hasRole(code:"developer")`,
			`"name":"Third","roles":{"totalCount":0,"nodes":[]},"games":{"totalCount":0,"nodes":[]},"hasRole":false`},
		{"deleteRole", `{code:"developer"}`, "role", `name userCount department{name} users{totalCount nodes{username}}`,
			`"name":"Developer","userCount":1,"department":{"name":"Development"},"users":{"totalCount":0,"nodes":[]}`},
		{"deleteDepartment", `{code:"ceo",moveChildrenUp:true}`, "department", `name subDepartments{nodes{code}} descendants{nodes{code}}`,
			`"name":"CEO","subDepartments":{"nodes":[]},"descendants":{"nodes":[]}`},
		{"deleteDepartment", `{code:"dev"}`, "department", `name parent{name} roles{totalCount nodes{code}}`,
			`"name":"Development","parent":{"name":"CEO"},"roles":{"totalCount":0,"nodes":[]}`},
		{"deleteGame", `{code:"chess"}`, "game", `name playerCount isPlayed players{totalCount nodes{username}} plays(from:"1970-01-01",to:"9999-12-31"){count}`,
			`"name":"Chess","playerCount":1,"isPlayed":false,"players":{"totalCount":0,"nodes":[]},"plays":[]`},
		{"deleteTwit", `{id:"<w>"}`, "twit", `content commentCount author{name twitCount} comments{totalCount nodes{content}}`,
			`"content":"by the writer","commentCount":0,"author":{"name":"Writer","twitCount":0},"comments":{"totalCount":0,"nodes":[]}`},
		{"deleteComment", `{id:"<remark>"}`, "comment", `content author{name} twit{content commentCount comments{nodes{content}}}`,
			`"content":"a remark","author":{"name":"Owner"},"twit":{"content":"by the writer","commentCount":0,"comments":{"nodes":[]}}`},
	} {
		t.Run(test.mutation+test.input, func(t *testing.T) {
			s := newStage(t, folderOf(t, cast))
			mutation := s.ids.Replace(fmt.Sprintf(`mutation{%s(input:%s){%s{%s}}}`, test.mutation, test.input, test.of, test.selected))
			want := fmt.Sprintf(`{"data":{%q:{%q:{%s}}}}`, test.mutation, test.of, test.want)
			if got := string(s.ask(t, mutation, nil, root)); got != want {
				t.Errorf("it shows\n%s, want\n%s", got, want)
			}
		})
	}
}

func TestWhatIsMadeAnewAfterADeletionIsThere(t *testing.T) {
	s := newStage(t, folderOf(t, cast))
	got := string(s.ask(t, `mutation{a:deleteRole(input:{code:"developer"}){role{users{totalCount}}} b:createRole(input:{code:"developer",name:"Anew"}){role{name}} c:assignRole(input:{username:"fan",role:"developer"}){role{name users{nodes{username}}}}}`, nil, root))
	want := `{"data":{"a":{"role":{"users":{"totalCount":0}}},"b":{"role":{"name":"Anew"}},"c":{"role":{"name":"Anew","users":{"nodes":[{"username":"fan"}]}}}}}`
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
