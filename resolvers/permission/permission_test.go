package permission

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"twibase/graph/auth"
)

const document = "../../docs/PERMISSIONS.md"

// columns are those of the document's table, in their order.
var columns = []struct {
	name string
	who  Who
}{{"stranger", Stranger}, {"user", User}, {"owner", Owner}, {"twit's author", TwitAuthor}, {"follower", Follower}, {"administrator", Admin}}

// actions are all actions.
var actions = []Action{
	SignUp, LogIn, CreateUser, UpdateUser, DeleteUser, Follow, Unfollow, PostTwit, DeleteTwit, Like, Unlike,
	AddComment, DeleteComment, CreateRole, UpdateRole, DeleteRole, AssignRole, RevokeRole, CreateDepartment,
	UpdateDepartment, MoveDepartment, DeleteDepartment, CreateGame, UpdateGame, DeleteGame, RecordPlay, SeeEmail,
	SeeTimeline, SeeTwit, SeeMoment, CountMoments, SeeComment, Subscribe,
}

func TestEveryActionIsTested(t *testing.T) {
	source, err := os.ReadFile("permission.go")
	if declared := strings.Count(string(source), "= Action{"); err != nil || declared != len(actions) {
		t.Errorf("%d actions are declared, and %d are tested: %v", declared, len(actions), err)
	}
}

// rows are the table of the document: what, and who may.
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

func TestTheTableIsTheDocuments(t *testing.T) {
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
			if yes := action.who&c.who != 0; i < len(may[action.String()]) && yes != may[action.String()][i] {
				t.Errorf("%s by %s: %v, and the document says otherwise", action, c.name, yes)
			}
		}
	}
}

// Each column is a viewer who is nothing more than it says.
func TestDecideSaysWhatTheDocumentDoes(t *testing.T) {
	about := About{Owner: "owner", TwitAuthor: "writer"}
	documented, may := rows(t)
	for row, action := range actions {
		if row >= len(documented) {
			t.Fatalf("%s has no row", action)
		}
		for i, want := range may[documented[row]] {
			viewer, known, follows, admin := auth.Viewer{Username: "somebody"}, true, false, false
			switch columns[i].who {
			case Stranger:
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
			verdict := Decide(action, viewer, known, about)
			got := verdict.Yes || verdict.IfAdmin && admin || verdict.IfFollows == "owner" && follows
			if got != want {
				t.Errorf("%s by %s: %v, want %v", action, columns[i].name, got, want)
			}
			if columns[i].who == Admin {
				viewer.Admin = true
				if verdict := Decide(action, viewer, true, about); !verdict.Yes {
					t.Errorf("%s by one whose token makes an administrator: %+v", action, verdict)
				}
			}
		}
	}
}

func TestNoActionIsPermittedToNobody(t *testing.T) {
	for name, viewer := range map[string]auth.Viewer{
		"a user":                      {Username: "owner"},
		"a token of an administrator": {Username: "owner", Admin: true},
	} {
		for _, known := range []bool{false, true} {
			var none Action
			if got := Decide(none, viewer, known, About{Owner: "owner", TwitAuthor: "owner"}); got != (Verdict{}) {
				t.Errorf("%s, known %v: %+v", name, known, got)
			}
		}
	}
}

func TestNothingIsReadWhereNothingDependsOnIt(t *testing.T) {
	for _, test := range []struct {
		reason string
		action Action
		viewer auth.Viewer
		known  bool
		about  About
		want   Verdict
	}{
		{"a stranger may or may not", SeeMoment, auth.Viewer{}, false, About{Owner: "LiLei"}, Verdict{}},
		{"also where nobody is the owner", SeeMoment, auth.Viewer{}, false, About{}, Verdict{}},
		{"an owner may", SeeMoment, auth.Viewer{Username: "LiLei"}, true, About{Owner: "LiLei"}, Verdict{Yes: true}},
		{"others may if they follow the owner", SeeMoment, auth.Viewer{Username: "Lucy"}, true, About{Owner: "LiLei"},
			Verdict{IfAdmin: true, IfFollows: "LiLei"}},
		{"followers may not delete", DeleteTwit, auth.Viewer{Username: "Lucy"}, true, About{Owner: "LiLei"}, Verdict{IfAdmin: true}},
		{"what everybody may needs no administrator", Follow, auth.Viewer{Username: "Lucy"}, true, About{}, Verdict{Yes: true}},
		{"what no one owns nobody owns", CreateRole, auth.Viewer{Username: "Lucy"}, true, About{}, Verdict{IfAdmin: true}},
	} {
		if got := Decide(test.action, test.viewer, test.known, test.about); got != test.want {
			t.Errorf("%s: %+v, want %+v", test.reason, got, test.want)
		}
	}
}

func TestForSaysWhomItIsFor(t *testing.T) {
	for action, want := range map[Action]string{
		CreateRole:    "administrators",
		DeleteUser:    "whose it is and administrators",
		DeleteComment: "whose it is, the author of the twit and administrators",
		Follow:        "whoever has logged in",
	} {
		if got := action.For(); got != want {
			t.Errorf("%s is for %q, want %q", action, got, want)
		}
	}
}
