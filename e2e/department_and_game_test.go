package e2e

import (
	"fmt"
	"strings"
	"testing"

	"twibase/e2e/oracle"
)

type step struct {
	viewer oracle.Viewer
	query  string
	want   string
}

func runSteps(t *testing.T, steps []step) {
	t.Helper()
	s := newPeopleGateway(t, folderOf(t, people))
	for _, step := range steps {
		want := `{"data":` + step.want + `}`
		if got := strings.TrimSpace(string(s.ask(t, step.query, nil, step.viewer))); got != want {
			t.Fatalf("%s\n got %s\nwant %s", step.query, got, want)
		}
	}
}

func mutation(name, input, shows string) string {
	return fmt.Sprintf(`mutation{%s(input:{%s}){%s userErrors{code field}}}`, name, input, shows)
}

func TestDepartmentMutationsChangeTheTree(t *testing.T) {
	boss, tree := as("boss"), `{topDepartments{totalCount nodes{code descendants{edges{depth node{code name parent{code}}}}}}}`
	runSteps(t, []step{
		{boss, mutation("createDepartment", `code:"web",name:"Web",parent:"dev",idempotencyKey:"k",clientMutationId:"m"`,
			`clientMutationId department{code name parent{code} ancestors{code} subDepartments{totalCount}}`),
			`{"createDepartment":{"clientMutationId":"m","department":{"code":"web","name":"Web","parent":{"code":"dev"},"ancestors":[{"code":"dev"},{"code":"ceo"}],"subDepartments":{"totalCount":0}},"userErrors":[]}}`},
		{boss, mutation("createDepartment", `code:"web",name:"Again",parent:"dev",idempotencyKey:"k"`, `department{name}`),
			`{"createDepartment":{"department":{"name":"Web"},"userErrors":[]}}`},
		{boss, mutation("createDepartment", `code:"web",name:"Another",idempotencyKey:"l"`, `department{name}`),
			`{"createDepartment":{"department":null,"userErrors":[{"code":"ALREADY_EXISTS","field":"code"}]}}`},
		{boss, mutation("createDepartment", `code:"ops",name:"Operations"`, `department{parent{code}}`),
			`{"createDepartment":{"department":{"parent":null},"userErrors":[]}}`},
		{boss, tree, `{"topDepartments":{"totalCount":3,"nodes":[` +
			`{"code":"ceo","descendants":{"edges":[{"depth":1,"node":{"code":"dev","name":"Development","parent":{"code":"ceo"}}},{"depth":2,"node":{"code":"web","name":"Web","parent":{"code":"dev"}}}]}},` +
			`{"code":"empty","descendants":{"edges":[]}},{"code":"ops","descendants":{"edges":[]}}]}}`},
		{boss, mutation("updateDepartment", `code:"ops",name:"Alpha"`, `department{name}`),
			`{"updateDepartment":{"department":{"name":"Alpha"},"userErrors":[]}}`},
		{boss, `{topDepartments{nodes{code}}}`,
			`{"topDepartments":{"nodes":[{"code":"ops"},{"code":"ceo"},{"code":"empty"}]}}`},
		{boss, mutation("moveDepartment", `code:"dev",parent:"ops"`,
			`department{ancestors{code} subDepartments{nodes{code}}}`),
			`{"moveDepartment":{"department":{"ancestors":[{"code":"ops"}],"subDepartments":{"nodes":[{"code":"web"}]}},"userErrors":[]}}`},
		{boss, mutation("moveDepartment", `code:"ops",parent:"web"`, `department{code}`),
			`{"moveDepartment":{"department":null,"userErrors":[{"code":"CYCLE","field":"parent"}]}}`},
		{boss, mutation("deleteDepartment", `code:"dev"`, `department{code}`),
			`{"deleteDepartment":{"department":null,"userErrors":[{"code":"HAS_CHILDREN","field":"code"}]}}`},
		{boss, mutation("deleteDepartment", `code:"dev",moveChildrenUp:true`, `department{code name}`),
			`{"deleteDepartment":{"department":{"code":"dev","name":"Development"},"userErrors":[]}}`},
		{boss, `{department(code:"dev"){code} role(code:"developer"){department{code name}} web:department(code:"web"){parent{code}} ops:department(code:"ops"){subDepartments{totalCount nodes{code}}}}`,
			`{"department":null,"role":{"department":null},"web":{"parent":{"code":"ops"}},"ops":{"subDepartments":{"totalCount":1,"nodes":[{"code":"web"}]}}}`},
		// The code is reusable, for a department without relations.
		{boss, mutation("createDepartment", `code:"dev",name:"New"`,
			`department{name parent{code} roles{totalCount} subDepartments{totalCount}}`),
			`{"createDepartment":{"department":{"name":"New","parent":null,"roles":{"totalCount":0},"subDepartments":{"totalCount":0}},"userErrors":[]}}`},
	})
}

func TestPlaysAddToCountsOfTheirDay(t *testing.T) {
	boss, fan := as("boss"), as("fan")
	const sums = `{game(code:"go"){name playerCount isPlayed players{nodes{username}} plays(from:"2014-12-01",to:"2014-12-31"){day count}} user(username:"fan"){hasPlayed(code:"go") games{edges{day count node{code}}}}}`
	play := func(input string) string {
		return mutation("recordPlay", input, `day count game{playerCount} user{username games{totalCount}}`)
	}
	runSteps(t, []step{
		{boss, mutation("createGame", `code:"go"`, `game{code name playerCount isPlayed}`),
			`{"createGame":{"game":{"code":"go","name":"go","playerCount":0,"isPlayed":false},"userErrors":[]}}`},
		{boss, mutation("updateGame", `code:"go",name:"围棋"`, `game{name}`),
			`{"updateGame":{"game":{"name":"围棋"},"userErrors":[]}}`},
		{fan, play(`game:"go",day:"2014-12-25",idempotencyKey:"k"`), `{"recordPlay":{"day":"2014-12-25","count":1,"game":{"playerCount":1},"user":{"username":"fan","games":{"totalCount":1}},"userErrors":[]}}`},
		{fan, play(`game:"go",day:"2014-12-26",count:9,idempotencyKey:"k"`), `{"recordPlay":{"day":"2014-12-25","count":1,"game":{"playerCount":1},"user":{"username":"fan","games":{"totalCount":1}},"userErrors":[]}}`},
		{fan, play(`game:"go",day:"2014-12-25",count:3`), `{"recordPlay":{"day":"2014-12-25","count":4,"game":{"playerCount":1},"user":{"username":"fan","games":{"totalCount":1}},"userErrors":[]}}`},
		{fan, play(`game:"go",day:"2014-12-24"`), `{"recordPlay":{"day":"2014-12-24","count":1,"game":{"playerCount":1},"user":{"username":"fan","games":{"totalCount":1}},"userErrors":[]}}`},
		{boss, play(`game:"go",day:"2014-12-25"`), `{"recordPlay":{"day":"2014-12-25","count":1,"game":{"playerCount":2},"user":{"username":"boss","games":{"totalCount":1}},"userErrors":[]}}`},
		{unauthenticated, sums, `{"game":{"name":"围棋","playerCount":2,"isPlayed":true,"players":{"nodes":[{"username":"boss"},{"username":"fan"}]},"plays":[{"day":"2014-12-24","count":1},{"day":"2014-12-25","count":5}]},` +
			`"user":{"hasPlayed":true,"games":{"edges":[{"day":"2014-12-25","count":5,"node":{"code":"go"}}]}}}`},
		{boss, mutation("deleteGame", `code:"go"`, `game{name}`), `{"deleteGame":{"game":{"name":"围棋"},"userErrors":[]}}`},
		{fan, mutation("recordPlay", `game:"go"`, `count`),
			`{"recordPlay":{"count":null,"userErrors":[{"code":"NOT_FOUND","field":"game"}]}}`},
		{unauthenticated, `{game(code:"go"){name}}`, `{"game":null}`},
		{boss, mutation("createGame", `code:"go",name:"Go"`, `game{name}`),
			`{"createGame":{"game":{"name":"Go"},"userErrors":[]}}`},
		{unauthenticated, sums, `{"game":{"name":"Go","playerCount":0,"isPlayed":false,"players":{"nodes":[]},"plays":[]},"user":{"hasPlayed":false,"games":{"edges":[]}}}`},
	})
}
