package e2e

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"twibase/e2e/oracle"
	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer"
	"twibase/writers"
)

type userErrorCase struct {
	mutation, input string
	want            string
}

var longText = strings.Repeat("x", 201)

var userErrorCases = []userErrorCase{
	{"signUp", `{username:"owner",name:"x",password:"correct horse"}`, "ALREADY_EXISTS username"},
	{"signUp", `{username:"owner",name:"x",password:"correct horse",idempotencyKey:"k"}`, "ALREADY_EXISTS username"},
	{"signUp", `{username:"Admin",name:"",password:"short",age:151,email:"nobody",avatarUrl:"https://u:p@example.org",idempotencyKey:""}`,
		"BAD_USER_INPUT username, BAD_USER_INPUT name, BAD_USER_INPUT email, BAD_USER_INPUT age, BAD_USER_INPUT avatarUrl, BAD_USER_INPUT password, BAD_USER_INPUT idempotencyKey"},
	{"logIn", `{username:"owner",password:"wrong horse"}`, "WRONG_CREDENTIALS"},
	{"createUser", `{username:"owner",name:"x"}`, "ALREADY_EXISTS username"},
	{"createUser", `{username:"lost",name:"x",idempotencyKey:"deleted"}`, "NOT_FOUND idempotencyKey"},
	{"createUser", `{username:"a b",name:" ",age:-1,email:"",avatarUrl:"https://u:p@example.org",idempotencyKey:""}`,
		"BAD_USER_INPUT username, BAD_USER_INPUT name, BAD_USER_INPUT email, BAD_USER_INPUT age, BAD_USER_INPUT avatarUrl, BAD_USER_INPUT idempotencyKey"},
	{"updateUser", `{username:"nobody",name:"x"}`, "NOT_FOUND username"},
	{"updateUser", `{username:"owner",name:"x",expectedVersion:"1"}`, "CONFLICT expectedVersion"},
	{"updateUser", `{username:"",name:null,email:"a@",age:151,avatarUrl:"https://u:p@example.org"}`,
		"BAD_USER_INPUT username, BAD_USER_INPUT name, BAD_USER_INPUT email, BAD_USER_INPUT age, BAD_USER_INPUT avatarUrl"},
	{"deleteUser", `{username:"nobody"}`, "NOT_FOUND username"},
	{"deleteUser", `{username:"a b"}`, "BAD_USER_INPUT username"},
	{"follow", `{username:"nobody"}`, "NOT_FOUND username"},
	{"follow", `{username:"boss"}`, "BAD_USER_INPUT username"},
	{"follow", `{username:"a b"}`, "BAD_USER_INPUT username"},
	{"unfollow", `{username:"a b"}`, "BAD_USER_INPUT username"},
	{"postTwit", `{content:"",title:"` + longText + `",photoUrls:["https://example.org/a.jpg","https://u:p@example.org"]}`,
		"BAD_USER_INPUT title, BAD_USER_INPUT photoUrls.1"},
	{"postTwit", `{content:" "}`, "BAD_USER_INPUT content"},
	{"postTwit", `{content:"x",idempotencyKey:""}`, "BAD_USER_INPUT idempotencyKey"},
	{"postTwit", `{content:"x",idempotencyKey:"deleted"}`, "NOT_FOUND idempotencyKey"},
	{"postTwit", `{content:"` + strings.Repeat("x", writers.MaxTwit+1) +
		`",title:"",photoUrls:["https://u:p@example.org"],idempotencyKey:"` + longText + `"}`,
		"BAD_USER_INPUT title, BAD_USER_INPUT content, BAD_USER_INPUT photoUrls.0, BAD_USER_INPUT idempotencyKey"},
	{"postTwit", `{content:"x",photoUrls:["https://example.org","a","http://","javascript:alert(1)"]}`,
		"BAD_USER_INPUT photoUrls.1, BAD_USER_INPUT photoUrls.2, BAD_USER_INPUT photoUrls.3"},
	{"postTwit", `{content:"x",photoUrls:[` + strings.Repeat(`"https://example.org",`, 10) + `]}`, "BAD_USER_INPUT photoUrls"},
	{"createUser", `{username:"young",name:"x",avatarUrl:"young.png"}`, "BAD_USER_INPUT avatarUrl"},
	{"recordPlay", `{game:"chess",day:"2014-02-30"}`, "BAD_USER_INPUT day"},
	{"recordPlay", `{game:"chess",day:"today"}`, "BAD_USER_INPUT day"},
	{"deleteTwit", `{id:"<remark>"}`, "NOT_FOUND id"},
	{"like", `{twitId:"<remark>"}`, "NOT_FOUND twitId"},
	{"unlike", `{twitId:"<remark>"}`, "NOT_FOUND twitId"},
	{"addComment", `{twitId:"<remark>",content:""}`, "BAD_USER_INPUT content, NOT_FOUND twitId"},
	{"addComment", `{twitId:"<p>",content:"x",idempotencyKey:""}`, "BAD_USER_INPUT idempotencyKey"},
	{"addComment", `{twitId:"<p>",content:"x",idempotencyKey:"deleted"}`, "NOT_FOUND idempotencyKey"},
	{"addComment", `{twitId:"<p>",content:"another",idempotencyKey:"deleted"}`, "NOT_FOUND idempotencyKey"},
	{"addComment", `{twitId:"<p>",content:"` + strings.Repeat("x", writers.MaxComment+1) + `",idempotencyKey:"` +
		longText + `"}`,
		"BAD_USER_INPUT content, BAD_USER_INPUT idempotencyKey"},
	{"deleteComment", `{id:"<p>"}`, "NOT_FOUND id"},
	{"createRole", `{code:"developer",name:"x"}`, "ALREADY_EXISTS code"},
	{"createRole", `{code:"tester",department:"nowhere"}`, "NOT_FOUND department"},
	{"createRole", `{code:"developer",department:"nowhere"}`, "ALREADY_EXISTS code, NOT_FOUND department"},
	{"createRole", `{code:"lost",idempotencyKey:"deleted"}`, "NOT_FOUND idempotencyKey"},
	{"createRole", `{code:"a b",name:"",department:" ",idempotencyKey:"` + longText + `"}`,
		"BAD_USER_INPUT code, BAD_USER_INPUT name, BAD_USER_INPUT department, BAD_USER_INPUT idempotencyKey"},
	{"updateRole", `{code:"nothing",name:"x"}`, "NOT_FOUND code"},
	{"updateRole", `{code:"developer",department:"nowhere"}`, "NOT_FOUND department"},
	{"updateRole", `{code:"nothing",department:"nowhere"}`, "NOT_FOUND code, NOT_FOUND department"},
	{"updateRole", `{code:"developer",department:null,expectedVersion:""}`, "CONFLICT expectedVersion"},
	{"updateRole", `{code:"",name:null,department:" "}`,
		"BAD_USER_INPUT code, BAD_USER_INPUT name, BAD_USER_INPUT department"},
	{"deleteRole", `{code:"nothing"}`, "NOT_FOUND code"},
	{"deleteRole", `{code:" "}`, "BAD_USER_INPUT code"},
	{"assignRole", `{username:"nobody",role:"nothing"}`, "NOT_FOUND username, NOT_FOUND role"},
	{"assignRole", `{username:"a b",role:" "}`, "BAD_USER_INPUT username, BAD_USER_INPUT role"},
	{"revokeRole", `{username:"nobody",role:"nothing"}`, "NOT_FOUND username, NOT_FOUND role"},
	{"revokeRole", `{username:"a b",role:" "}`, "BAD_USER_INPUT username, BAD_USER_INPUT role"},
	{"createDepartment", `{code:"dev",name:"x"}`, "ALREADY_EXISTS code"},
	{"createDepartment", `{code:"dev",name:"x",parent:"nowhere"}`, "ALREADY_EXISTS code, NOT_FOUND parent"},
	{"createDepartment", `{code:"lost",name:"x",idempotencyKey:"deleted"}`, "NOT_FOUND idempotencyKey"},
	{"createDepartment", `{code:"a b",name:"` + longText + `",parent:"",idempotencyKey:""}`,
		"BAD_USER_INPUT code, BAD_USER_INPUT name, BAD_USER_INPUT parent, BAD_USER_INPUT idempotencyKey"},
	{"createDepartment", `{code:"new",name:"x",parent:"level64"}`, "LIMIT_EXCEEDED parent"},
	{"updateDepartment", `{code:"nowhere",name:"x"}`, "NOT_FOUND code"},
	{"updateDepartment", `{code:"dev",name:"x",expectedVersion:"1"}`, "CONFLICT expectedVersion"},
	{"updateDepartment", `{code:" ",name:null}`, "BAD_USER_INPUT code, BAD_USER_INPUT name"},
	{"moveDepartment", `{code:"nothing",parent:"nowhere"}`, "NOT_FOUND code, NOT_FOUND parent"},
	{"moveDepartment", `{code:"ceo",parent:"ceo"}`, "CYCLE parent"},
	{"moveDepartment", `{code:"ceo",parent:"dev"}`, "CYCLE parent"},
	{"moveDepartment", `{code:"empty",parent:"level64"}`, "LIMIT_EXCEEDED parent"},
	{"moveDepartment", `{code:"ceo",parent:"level63"}`, "LIMIT_EXCEEDED parent"},
	{"moveDepartment", `{code:"dev",parent:"empty",expectedVersion:""}`, "CONFLICT expectedVersion"},
	{"moveDepartment", `{code:"",parent:" "}`, "BAD_USER_INPUT code, BAD_USER_INPUT parent"},
	{"deleteDepartment", `{code:"ceo"}`, "HAS_CHILDREN code"},
	{"deleteDepartment", `{code:"nowhere",moveChildrenUp:true}`, "NOT_FOUND code"},
	{"deleteDepartment", `{code:""}`, "BAD_USER_INPUT code"},
	{"createGame", `{code:"chess"}`, "ALREADY_EXISTS code"},
	{"createGame", `{code:"lost",idempotencyKey:"deleted"}`, "NOT_FOUND idempotencyKey"},
	{"createGame", `{code:"a b",name:" ",idempotencyKey:""}`,
		"BAD_USER_INPUT code, BAD_USER_INPUT idempotencyKey, BAD_USER_INPUT name"},
	{"updateGame", `{code:"nothing",name:"x"}`, "NOT_FOUND code"},
	{"updateGame", `{code:"chess",name:"x",expectedVersion:""}`, "CONFLICT expectedVersion"},
	{"updateGame", `{code:"",name:null}`, "BAD_USER_INPUT code, BAD_USER_INPUT name"},
	{"deleteGame", `{code:"nothing"}`, "NOT_FOUND code"},
	{"deleteGame", `{code:" "}`, "BAD_USER_INPUT code"},
	{"recordPlay", `{game:"nothing"}`, "NOT_FOUND game"},
	{"recordPlay", `{game:" ",count:0,idempotencyKey:""}`,
		"BAD_USER_INPUT game, BAD_USER_INPUT count, BAD_USER_INPUT idempotencyKey"},
	{"recordPlay", `{game:"chess",day:"2014-12-25"}`, "LIMIT_EXCEEDED count"},
	{"recordPlay", `{game:"chess",day:"9999-12-31"}`, "BAD_USER_INPUT day"},
	{"recordPlay", `{game:"chess",count:1000001}`, "BAD_USER_INPUT count"},
}

func newLimitGateway(t *testing.T) *peopleGateway {
	t.Helper()
	files := maps.Clone(people)
	parent := ""
	for level := 1; level <= tables.MaxDepth; level++ {
		code := fmt.Sprint("level", level)
		files["departments"] += fmt.Sprintf("\n%s,%s,%s", code, code, parent)
		parent = code
	}
	files["plays"] += fmt.Sprintf("\nboss,chess,2014-12-25,%d", math.MaxInt32)
	s := newPeopleGateway(t, folderOf(t, files))
	other := &peopleGateway{newGateway("other", s.store), s.ids}
	twit := oracle.Get(other.query(t, as("boss"),
		`mutation{postTwit(input:{content:"x",idempotencyKey:"deleted"}){twit{id}}}`), "postTwit", "twit", "id")
	other.query(t, as("boss"), fmt.Sprintf(`mutation{deleteTwit(input:{id:%q}){deletedId}}`, twit))
	comment := oracle.Get(other.query(t, as("boss"), `mutation{addComment(input:{twitId:"<p>",content:"x",idempotencyKey:"deleted"}){comment{id}}}`), "addComment", "comment", "id")
	other.query(t, as("boss"), fmt.Sprintf(`mutation{deleteComment(input:{id:%q}){deletedId}}`, comment))
	other.query(t, as("boss"), `mutation{
		createUser(input:{username:"lost",name:"x",idempotencyKey:"deleted"}){userErrors{code}} deleteUser(input:{username:"lost"}){deletedId}
		createRole(input:{code:"lost",idempotencyKey:"deleted"}){userErrors{code}} deleteRole(input:{code:"lost"}){deletedId}
		createDepartment(input:{code:"lost",name:"x",idempotencyKey:"deleted"}){userErrors{code}} deleteDepartment(input:{code:"lost"}){deletedId}
		createGame(input:{code:"lost",idempotencyKey:"deleted"}){userErrors{code}} deleteGame(input:{code:"lost"}){deletedId}}`)
	other.root.Writers.Close(t.Context())
	return s
}

func TestUserErrorsChangeNothing(t *testing.T) {
	s := newLimitGateway(t)
	before, cells := exported(t, s.store), allCells(t, s.store)
	for _, r := range userErrorCases {
		t.Run(r.mutation+" "+r.want, func(t *testing.T) {
			body := s.ask(t, s.ids.Replace(`mutation{`+r.mutation+`(input:`+r.input+`){clientMutationId userErrors{code field path message}}}`), nil, as("boss"))
			a, err := decodeAnswer(body)
			if err != nil || len(a.Errors) > 0 {
				t.Fatal(err, a.Errors)
			}
			var got []string
			for _, e := range oracle.Get(a.Data, r.mutation, "userErrors").(oracle.List) {
				code := sprint(oracle.Get(e, "code"))
				path, _ := oracle.Get(e, "path").(oracle.List)
				for i, step := range path {
					code += []string{" ", "."}[min(i, 1)] + sprint(step)
				}
				if field := oracle.Get(e, "field"); path == nil && field != nil || path != nil && field != path[0] {
					t.Errorf("the field is %v, and the path %v", field, path)
				}
				if sprint(oracle.Get(e, "message")) == "" {
					t.Error(code, " has no message")
				}
				got = append(got, code)
			}
			if strings.Join(got, ", ") != r.want {
				t.Errorf("got %s, want %s", got, r.want)
			}
			if cmp.Equal(cells, allCells(t, s.store)) {
				return
			}
			if diff := cmp.Diff(before, exported(t, s.store)); diff != "" {
				t.Errorf("the store changed (-before +after):\n%s", diff)
			} else {
				t.Error("data that are not exported changed")
			}
		})
	}
	if diff := cmp.Diff(before, exported(t, s.store)); diff != "" {
		t.Errorf("the store changed (-before +after):\n%s", diff)
	}
}

func TestEveryMutationHasAUserErrorCase(t *testing.T) {
	for mutation := range mutationInputs {
		if !slices.ContainsFunc(userErrorCases, func(r userErrorCase) bool { return r.mutation == mutation }) {
			t.Errorf("%s has no row in userErrorCases", mutation)
		}
	}
}

func exported(t *testing.T, store hbase.Store) map[string]string {
	t.Helper()
	folder := t.TempDir()
	if _, err := transfer.Export(t.Context(), store, folder); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, entry := range entries {
		text, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[entry.Name()] = string(text)
	}
	return files
}

func allCells(t *testing.T, store hbase.Store) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, table := range tables.Definitions(1) {
		var b strings.Builder
		for row, err := range store.Scan(t.Context(), hbase.Scan{Table: table.Name}) {
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "%q", row.Key)
			for _, c := range row.Cells {
				fmt.Fprintf(&b, " %s:%q@%d=%q", c.Family, c.Qualifier, c.Timestamp, c.Value)
			}
			b.WriteByte('\n')
		}
		all[table.Name] = b.String()
	}
	return all
}
