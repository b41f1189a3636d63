package permission

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"twibase/graph/auth"
)

const document = "../../docs/PERMISSIONS.md"

var columns = []struct {
	name  string
	roles Roles
}{
	{"anonymous", Anonymous}, {"user", User}, {"owner", Owner},
	{"twit's author", TwitAuthor}, {"follower", Follower}, {"administrator", Admin},
}

var actions = []Action{
	SignUp, LogIn, CreateUser, UpdateUser, DeleteUser, Follow, Unfollow, PostTwit, DeleteTwit, Like, Unlike,
	AddComment, DeleteComment, CreateRole, UpdateRole, DeleteRole, AssignRole, RevokeRole, CreateDepartment,
	UpdateDepartment, MoveDepartment, DeleteDepartment, CreateGame, UpdateGame, DeleteGame, RecordPlay, SeeEmail,
	SeeTimeline, SeeTwit, SeeMoment, CountMoments, SeeComment, Subscribe,
	SeeFollowers,
}

func TestEveryActionIsTested(t *testing.T) {
	source, err := os.ReadFile("permission.go")
	if declared := strings.Count(string(source), "= Action{"); err != nil || declared != len(actions) {
		t.Errorf("%d actions are declared, %d are tested: %v", declared, len(actions), err)
	}
}

func rows(t *testing.T) (names []string, may map[string][]bool) {
	t.Helper()
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	head := "| what |"
	for _, c := range columns {
		head += " " + c.name + " |"
	}
	_, body, found := strings.Cut(string(text), head+"\n|---|---|---|---|---|---|---|\n")
	if !found {
		t.Fatalf("%s lacks the table %s", document, head)
	}
	may = map[string][]bool{}
	for line := range strings.Lines(body) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != len(columns)+3 {
			break
		}
		name := strings.ReplaceAll(strings.TrimSpace(cells[1]), "`", "")
		names = append(names, name)
		for _, cell := range cells[2 : len(cells)-1] {
			yes := strings.TrimSpace(cell) == "yes"
			if !yes && strings.TrimSpace(cell) != "no" {
				t.Errorf("%s: %q is neither yes nor no", name, cell)
			}
			may[name] = append(may[name], yes)
		}
	}
	return names, may
}

func TestActionsMatchTheDocument(t *testing.T) {
	documented, may := rows(t)
	var names []string
	for _, action := range actions {
		names = append(names, action.String())
	}
	if diff := cmp.Diff(documented, names); diff != "" {
		t.Errorf("the rows (-document +code):\n%s", diff)
	}
	for _, action := range actions {
		for i, c := range columns {
			if yes := action.roles&c.roles != 0; i < len(may[action.String()]) && yes != may[action.String()][i] {
				t.Errorf("%s by %s: got %v, the document has %v", action, c.name, yes, !yes)
			}
		}
	}
}

func TestDecideMatchesTheDocument(t *testing.T) {
	target := Target{Owner: "owner", TwitAuthor: "writer"}
	documented, may := rows(t)
	for row, action := range actions {
		if row >= len(documented) {
			t.Fatalf("%s has no row", action)
		}
		for i, want := range may[documented[row]] {
			viewer, known, follows, admin := auth.Viewer{Username: "user"}, true, false, false
			switch columns[i].roles {
			case Anonymous:
				viewer, known = auth.Viewer{}, false
			case Owner:
				viewer.Username = "owner"
			case TwitAuthor:
				viewer.Username = "writer"
			case Follower:
				follows = true
			case Admin:
				admin = true
			}
			verdict := Decide(action, viewer, known, target)
			got := verdict.Yes || verdict.IfAdmin && admin || verdict.IfFollows == "owner" && follows
			if got != want {
				t.Errorf("%s by %s: got %v, want %v", action, columns[i].name, got, want)
			}
			if columns[i].roles == Admin {
				viewer.Admin = true
				if verdict := Decide(action, viewer, true, target); !verdict.Yes {
					t.Errorf("%s by a viewer with the admin claim: %+v, want yes", action, verdict)
				}
			}
		}
	}
}

func TestZeroActionIsPermittedToNoViewer(t *testing.T) {
	for name, viewer := range map[string]auth.Viewer{
		"a user":                      {Username: "owner"},
		"a token of an administrator": {Username: "owner", Admin: true},
	} {
		for _, known := range []bool{false, true} {
			var none Action
			if got := Decide(none, viewer, known, Target{Owner: "owner", TwitAuthor: "owner"}); got != (Verdict{}) {
				t.Errorf("%s, known %v: got %+v, want none", name, known, got)
			}
		}
	}
}

func TestVerdictDependsOnAReadOnlyIfNeeded(t *testing.T) {
	for _, test := range []struct {
		name   string
		action Action
		viewer auth.Viewer
		known  bool
		target Target
		want   Verdict
	}{
		{"anonymous", SeeMoment, auth.Viewer{}, false, Target{Owner: "LiLei"}, Verdict{}},
		{"anonymous, no owner", SeeMoment, auth.Viewer{}, false, Target{}, Verdict{}},
		{"owner", SeeMoment, auth.Viewer{Username: "LiLei"}, true, Target{Owner: "LiLei"}, Verdict{Yes: true}},
		{"other user, followers may", SeeMoment, auth.Viewer{Username: "Lucy"}, true, Target{Owner: "LiLei"},
			Verdict{IfAdmin: true, IfFollows: "LiLei"}},
		{"other user, followers may not", DeleteTwit, auth.Viewer{Username: "Lucy"}, true, Target{Owner: "LiLei"},
			Verdict{IfAdmin: true}},
		{"user, every user may", Follow, auth.Viewer{Username: "Lucy"}, true, Target{}, Verdict{Yes: true}},
		{"user, only administrators may", CreateRole, auth.Viewer{Username: "Lucy"}, true, Target{}, Verdict{IfAdmin: true}},
	} {
		if got := Decide(test.action, test.viewer, test.known, test.target); got != test.want {
			t.Errorf("%s: got %+v, want %+v", test.name, got, test.want)
		}
	}
}

func TestForNamesThePermittedViewers(t *testing.T) {
	for action, want := range map[Action]string{
		CreateRole:    "administrators",
		DeleteUser:    "the owner and administrators",
		DeleteComment: "the owner, the author of the twit and administrators",
		Follow:        "users with a token",
	} {
		if got := action.For(); got != want {
			t.Errorf("%s is for: got %q, want %q", action, got, want)
		}
	}
}
