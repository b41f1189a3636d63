package e2e

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"twibase/e2e/oracle"
	costs "twibase/graph/report"
	"twibase/hbase/hbasetest"
)

// costly is a mutation of one of the cast, and after how many rounds of calls of the store it is answered.
type costly struct {
	mutation string
	viewer   oracle.Viewer
	// input is that of inputs if it is empty, and before a mutation that another gateway made.
	input, before string
	// rounds are those of the whole request, from its first call of the store to its answer, which shows nothing but userErrors.
	rounds int
}

// roundsOf are at most six, and for moveDepartment as many more as it goes up or down the tree.
var roundsOf = []costly{
	{mutation: "signUp", viewer: stranger, rounds: 4},
	{mutation: "signUp", viewer: stranger, input: signUpAgain, before: `mutation{signUp(input:` + signUpAgain + `){userErrors{code}}}`, rounds: 3},
	{mutation: "logIn", viewer: stranger, rounds: 1},
	{mutation: "logIn", viewer: stranger, input: `{username:"young",password:"correct horse"}`, before: `mutation{signUp(input:` + signUpAgain + `){userErrors{code}}}`, rounds: 1},
	{mutation: "createUser", viewer: as("boss"), rounds: 3},
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
	{mutation: "createDepartment", viewer: as("boss"), input: `{code:"young",name:"Young",parent:"dev"}`, before: otherDepartment, rounds: 6},
	{mutation: "updateDepartment", viewer: as("boss"), rounds: 5},
	{mutation: "updateDepartment", viewer: as("boss"), before: otherDepartment, rounds: 6},
	{mutation: "moveDepartment", viewer: as("boss"), rounds: 5},
	{mutation: "moveDepartment", viewer: as("boss"), before: otherDepartment, rounds: 6},
	{mutation: "moveDepartment", viewer: as("boss"), input: `{code:"empty",parent:"dev"}`, before: otherDepartment, rounds: 7},
	{mutation: "deleteDepartment", viewer: as("boss"), rounds: 5},
	{mutation: "deleteDepartment", viewer: as("boss"), input: `{code:"ceo",moveChildrenUp:true}`, before: otherDepartment, rounds: 6},
	{mutation: "createGame", viewer: as("boss"), rounds: 3},
	{mutation: "updateGame", viewer: as("boss"), rounds: 3},
	{mutation: "deleteGame", viewer: as("boss"), rounds: 3},
	{mutation: "recordPlay", viewer: as("third"), rounds: 5},
}

const (
	otherDepartment = `mutation{createDepartment(input:{code:"other",name:"Other"}){userErrors{code}}}`
	signUpAgain     = `{username:"young",name:"Young",password:"correct horse",idempotencyKey:"k"}`
)

func TestAMutationIsAnsweredAfterSixRoundsAndAMoveAfterTheDepthMore(t *testing.T) {
	folder := folderOf(t, cast)
	counted := map[string]bool{}
	for _, c := range roundsOf {
		counted[c.mutation] = true
		if n, _ := c.count(t, folder); n != c.rounds {
			t.Errorf("%s by %q of %q after %q takes %d rounds, want %d", c.mutation, c.viewer.Username, c.input, c.before, n, c.rounds)
		}
		if c.rounds > 6 && c.mutation != "moveDepartment" {
			t.Errorf("%s may not take more than six", c.mutation)
		}
	}
	for mutation := range inputs {
		if !counted[mutation] {
			t.Errorf("%s is not counted: add a row to roundsOf", mutation)
		}
	}
}

// count makes the mutation at a gateway that has seen nothing before, and holds its report to what the store was asked until the answer. Every call of
// the store takes a millisecond of the test's own time, so those that are sent together count once.
func (c costly) count(t *testing.T, folder string) (rounds int, r costs.Report) {
	t.Helper()
	input := c.input
	if input == "" {
		input = inputs[c.mutation]
	}
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, folder)
		if c.before != "" {
			s.query(t, root, c.before)
		}
		s.root.Writers.Close(t.Context())
		recorder := hbasetest.NewRecorder(s.store, hbasetest.Names{})
		slow := newGateway("slow", hbasetest.NewFaults(recorder, func(hbasetest.Op) hbasetest.Fault { return hbasetest.Fault{Delay: time.Millisecond} }))
		defer slow.root.Writers.Close(t.Context())
		began := time.Now()
		body := string(slow.ask(t, s.ids.Replace("mutation{"+c.mutation+"(input:"+input+"){userErrors{code}}}"), nil, c.viewer, "1"))
		rounds = int(time.Since(began) / time.Millisecond)
		if strings.Contains(body, `"errors"`) || !strings.Contains(body, `"userErrors":[]`) && c.mutation != "logIn" {
			t.Error(body)
		}
		r, _ = reported(t, []byte(body))
		asRecorded(t, r, recorder)
	})
	return rounds, r
}

// The calls that are under way together are in no certain order.
func TestTheCallsOfAFollowAreThoseOfTheExampleInItsDocument(t *testing.T) {
	page, err := os.ReadFile("../docs/REPORT.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(page), "```\nfollow: read")
	example, _, _ = strings.Cut("follow: read"+example, "\n```")
	_, r := costly{mutation: "follow", viewer: as("somebody")}.count(t, folderOf(t, cast))
	var calls []string
	for _, level := range r.Levels {
		calls = append(calls, fmt.Sprint(level.Loaders[0].Name, " ", level.Loaders[0].Gets))
	}
	slices.Sort(calls)
	if diff := cmp.Diff(slices.Sorted(strings.SplitSeq(example, "\n")), calls); diff != "" {
		t.Errorf("(-document +got):\n%s", diff)
	}
}
