package e2e

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"twibase/e2e/oracle"
	"twibase/graph/auth"
	"twibase/graph/explain"
	costs "twibase/graph/report"
	"twibase/hbase/hbasetest"
	"twibase/hbase/tables"
)

type mutationCost struct {
	mutation string
	viewer   oracle.Viewer
	// The default of input is that of mutationInputs. Another gateway sends before first.
	input, before string
	rounds        int
}

var mutationCosts = []mutationCost{
	{mutation: "signUp", viewer: unauthenticated, rounds: 4},
	{mutation: "signUp", viewer: unauthenticated, input: signUpAgain, before: `mutation{signUp(input:` + signUpAgain +
		`){userErrors{code}}}`, rounds: 3},
	{mutation: "logIn", viewer: unauthenticated, rounds: 1},
	{mutation: "logIn", viewer: unauthenticated, input: `{username:"young",password:"correct horse"}`,
		before: `mutation{signUp(input:` + signUpAgain + `){userErrors{code}}}`, rounds: 1},
	{mutation: "createUser", viewer: as("boss"), rounds: 4},
	{mutation: "updateUser", viewer: as("owner"), rounds: 3},
	{mutation: "updateUser", viewer: as("boss"), rounds: 3},
	{mutation: "deleteUser", viewer: as("owner"), rounds: 4},
	{mutation: "deleteUser", viewer: as("boss"), rounds: 4},
	{mutation: "follow", viewer: as("somebody"), rounds: 5},
	{mutation: "unfollow", viewer: as("fan"), input: `{username:"owner"}`, rounds: 5},
	{mutation: "postTwit", viewer: as("owner"), rounds: 5},
	{mutation: "deleteTwit", viewer: as("owner"), rounds: 6},
	{mutation: "deleteTwit", viewer: as("boss"), rounds: 6},
	{mutation: "deleteTwit", viewer: as("boss"), input: `{id:"<m>"}`, rounds: 6},
	{mutation: "like", viewer: as("somebody"), rounds: 5},
	{mutation: "unlike", viewer: as("writer"), rounds: 5},
	{mutation: "unlike", viewer: as("fan"), input: `{twitId:"<m>"}`, rounds: 6},
	{mutation: "addComment", viewer: as("somebody"), rounds: 5},
	{mutation: "addComment", viewer: as("fan"), input: `{twitId:"<m>",content:"new"}`, rounds: 6},
	{mutation: "deleteComment", viewer: as("owner"), rounds: 6},
	{mutation: "deleteComment", viewer: as("writer"), rounds: 6},
	{mutation: "deleteComment", viewer: as("boss"), rounds: 6},
	{mutation: "createRole", viewer: as("boss"), input: `{code:"young",department:"dev"}`, rounds: 5},
	{mutation: "updateRole", viewer: as("boss"), input: `{code:"developer",department:"empty"}`, rounds: 5},
	{mutation: "deleteRole", viewer: as("boss"), rounds: 5},
	{mutation: "assignRole", viewer: as("boss"), rounds: 5},
	{mutation: "revokeRole", viewer: as("boss"), rounds: 5},
	{mutation: "createDepartment", viewer: as("boss"), input: `{code:"young",name:"Young",parent:"dev"}`, rounds: 5},
	{mutation: "createDepartment", viewer: as("boss"), input: `{code:"young",name:"Young",parent:"dev"}`,
		before: otherDepartment, rounds: 6},
	{mutation: "updateDepartment", viewer: as("boss"), rounds: 5},
	{mutation: "updateDepartment", viewer: as("boss"), before: otherDepartment, rounds: 6},
	{mutation: "moveDepartment", viewer: as("boss"), rounds: 5},
	{mutation: "moveDepartment", viewer: as("boss"), before: otherDepartment, rounds: 6},
	{mutation: "moveDepartment", viewer: as("boss"), input: `{code:"empty",parent:"dev"}`, before: otherDepartment,
		rounds: 7},
	{mutation: "deleteDepartment", viewer: as("boss"), rounds: 5},
	{mutation: "deleteDepartment", viewer: as("boss"), input: `{code:"ceo",moveChildrenUp:true}`, before: otherDepartment,
		rounds: 6},
	{mutation: "createGame", viewer: as("boss"), rounds: 3},
	{mutation: "updateGame", viewer: as("boss"), rounds: 3},
	{mutation: "deleteGame", viewer: as("boss"), rounds: 3},
	{mutation: "recordPlay", viewer: as("third"), rounds: 5},
}

const (
	otherDepartment = `mutation{createDepartment(input:{code:"other",name:"Other"}){userErrors{code}}}`
	signUpAgain     = `{username:"young",name:"Young",password:"correct horse",idempotencyKey:"k"}`
)

func TestMutationsTakeTheirDocumentedRounds(t *testing.T) {
	folder := folderOf(t, people)
	counted := map[string]bool{}
	for _, c := range mutationCosts {
		counted[c.mutation] = true
		if n, _ := c.count(t, folder); n != c.rounds {
			t.Errorf("%s by %q with %q after %q: got %d rounds, want %d",
				c.mutation, c.viewer.Username, c.input, c.before, n, c.rounds)
		}
		if c.rounds > 6 && c.mutation != "moveDepartment" {
			t.Errorf("%s takes more than six rounds", c.mutation)
		}
	}
	for mutation := range mutationInputs {
		if !counted[mutation] {
			t.Errorf("%s has no row in mutationCosts", mutation)
		}
	}
}

// Each call takes a millisecond of synthetic time, so that concurrent calls count once.
func (c mutationCost) count(t *testing.T, folder string) (rounds int, r costs.Report) {
	t.Helper()
	input := c.input
	if input == "" {
		input = mutationInputs[c.mutation]
	}
	synctest.Test(t, func(t *testing.T) {
		s := newPeopleGateway(t, folder)
		if c.before != "" {
			s.query(t, root, c.before)
		}
		s.root.Writers.Close(t.Context())
		recorder := hbasetest.NewRecorder(s.store, hbasetest.Names{})
		slow := newGateway("slow", hbasetest.NewFaults(recorder, func(hbasetest.Op) hbasetest.Fault {
			return hbasetest.Fault{Delay: time.Millisecond}
		}))
		defer slow.root.Writers.Close(t.Context())
		began := time.Now()
		body := string(slow.ask(t, s.ids.Replace("mutation{"+c.mutation+"(input:"+input+"){userErrors{code}}}"), nil,
			c.viewer, "1"))
		rounds = int(time.Since(began) / time.Millisecond)
		if strings.Contains(body, `"errors"`) || !strings.Contains(body, `"userErrors":[]`) && c.mutation != "logIn" {
			t.Error(body)
		}
		r, _ = reported(t, []byte(body))
		compareWithRecorder(t, r, recorder)
	})
	return rounds, r
}

func TestReportOfFollowMatchesDocumentation(t *testing.T) {
	page, err := os.ReadFile("../docs/REPORT.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(page), "```\nfollow: read")
	example, _, _ = strings.Cut("follow: read"+example, "\n```")
	_, r := mutationCost{mutation: "follow", viewer: as("somebody")}.count(t, folderOf(t, people))
	var calls []string
	for _, level := range r.Levels {
		calls = append(calls, fmt.Sprint(level.Loaders[0].Name, " ", level.Loaders[0].Gets))
	}
	slices.Sort(calls)
	if diff := cmp.Diff(slices.Sorted(strings.SplitSeq(example, "\n")), calls); diff != "" {
		t.Errorf("(-document +got):\n%s", diff)
	}
}

// The plan covers reads of permissions and the payload, but not of the writer.
func TestNoMutationExceedsItsPlan(t *testing.T) {
	random := seedOf(t)
	folder, schema, compared := folderOf(t, people), plannedSchema().Schema(), 0
	const each = 8
	for i := range each * len(mutationCosts) {
		c := mutationCosts[i/each]
		s := newPeopleGateway(t, folder)
		if c.before != "" {
			s.query(t, root, c.before)
		}
		input := c.input
		if input == "" {
			input = mutationInputs[c.mutation]
		}
		q := &queries{Rand: rand.New(rand.NewPCG(random, uint64(i))), schema: schema, narrow: true}
		payload := schema.Types[schema.Mutation.Fields.ForName(c.mutation).Type.Name()]
		text, variables := q.whole("mutation", func() string {
			return "{" + c.mutation + "(input:" + s.ids.Replace(input) + ")" + q.selection(payload, scope{}, 1+q.IntN(4), 10) +
				"}"
		})
		r := request{query: text, variables: variables, viewer: auth.Viewer(c.viewer)}
		a, _, err := r.costs(newExplainHandler(s.store, tables.ListBound), explain.Header)
		if err != nil {
			t.Fatal(err)
		}
		p := a.Extensions.Plan
		if err = json.Unmarshal(s.ask(t, text, variables, c.viewer, "1"), &a); err != nil {
			t.Fatal(err)
		}
		s.root.Writers.Close(t.Context())
		if p == nil || a.Extensions.Report == nil {
			continue
		}
		compared++
		rounds, gets, rpcs := readCosts(a.Extensions.Report)
		if rounds > p.Rounds || gets > p.Gets || rpcs > p.RPCs {
			levels, _ := json.Marshal(a.Extensions.Report.Levels)
			t.Errorf("%s\nby %q after %q takes %d rounds, %d Gets and %d RPCs; the plan is\n%s\n%s",
				r, c.viewer.Username, c.before, rounds, gets, rpcs, p.Text, levels)
		}
	}
	if t.Logf("%d compared", compared); compared < each*len(mutationCosts)*8/10 {
		t.Error("too few mutations were compared")
	}
}

func readCosts(r *costs.Report) (rounds, gets, rpcs int64) {
	for _, level := range r.Levels {
		if len(level.Loaders) == 1 && strings.Contains(level.Loaders[0].Name, ": ") {
			continue
		}
		rounds, rpcs = rounds+1, rpcs+level.RPCs
		for _, l := range level.Loaders {
			gets += int64(l.Gets)
		}
	}
	return rounds, gets, rpcs
}
