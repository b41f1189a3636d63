package e2e

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"twibase/e2e/oracle"
)

// The viewer is an administrator, so that only the input is invalid.
func TestInvalidInputWritesNothing(t *testing.T) {
	s := newPeopleGateway(t, folderOf(t, people))
	before := allCells(t, s.store)
	type values = map[string]any
	const post = `mutation($v:Visibility!){postTwit(input:{content:"x",visibility:$v}){twit{id}}}`
	const postInput = `mutation($v:PostTwitInput!){postTwit(input:$v){twit{id}}}`
	const play = `recordPlay(input:{game:"chess",count:`
	for name, test := range map[string]struct {
		query     string
		variables values
		message   string
	}{
		"a visibility in lower case": {post, values{"v": "followers"},
			`$v: the enum Visibility has no value "followers". Did you mean "FOLLOWERS"?`},
		"a visibility in mixed case": {post, values{"v": "Followers"},
			`$v: the enum Visibility has no value "Followers". Did you mean "FOLLOWERS"?`},
		"a visibility inside an input": {postInput, values{"v": values{"content": "x", "visibility": "followers"}},
			`$v.visibility: the enum Visibility has no value "followers". Did you mean "FOLLOWERS"?`},
		"a visibility as a string": {`mutation{postTwit(input:{content:"x",visibility:"FOLLOWERS"}){twit{id}}}`, nil,
			`expected a value of the enum Visibility, found "FOLLOWERS"`},
		"an empty object for a string": {`mutation{logIn(input:{username:{},password:"x"}){token}}`, nil,
			"expected a value of the type String!, found {}: it must be a string"},
		"an Int beyond 32 bits": {"mutation{a:" + play + "1}){count} b:" + play + "2147483648}){count}}", nil,
			"expected a value of the type Int, found 2147483648: it must be a whole number from -2147483648 to 2147483647"},
		"an Int beyond 32 bits in a default": {"mutation($n:Int=2147483648){a:" + play + "1}){count} b:" + play + "$n}){count}}",
			nil, "expected a value of the type Int, found 2147483648: it must be a whole number from -2147483648 to 2147483647"},
		"an Int beyond 32 bits in a variable": {"mutation($n:Int){a:" + play + "1}){count} b:" + play + "$n}){count}}",
			values{"n": 2147483648}, "$n: it must be a whole number from -2147483648 to 2147483647"},
		"a string for an Int": {"mutation($n:Int){a:" + play + "1}){count} b:" + play + "$n}){count}}",
			values{"n": "5"}, "$n: it must be a whole number from -2147483648 to 2147483647"},
		"a number for a String": {postInput, values{"v": values{"content": 5}}, "$v.content: it must be a string"},
		"a number in a list of URLs": {postInput, values{"v": values{"content": "x", "photoUrls": []any{"https://a/1", 2}}},
			"$v.photoUrls[1]: it must be a string with a URL"},
		"a number for a Date": {"mutation{a:" + play + `1}){count} b:` + play + `1,day:20140228}){count}}`,
			nil, `expected a value of the type Date, found 20140228: it must be a string with a day such as 2014-12-25`},
		"an ID that is a fraction": {`mutation($v:ID!){deleteTwit(input:{id:$v}){deletedId}}`, values{"v": 1.5},
			"$v: it must be a string or a whole number"},
		"an ID that is too long": {"mutation{a:" + play + `1}){count} deleteTwit(input:{id:"` + strings.Repeat("A", 513) + `"}){deletedId}}`, nil, `expected a value of the type ID!, found "` + strings.Repeat("A", 39) + `…: an id's length in bytes is limited to 512, and this is 513`},
		"__typename in an input": {postInput, values{"v": values{"content": "x", "__typename": "PostTwitInput"}},
			`$v: the input PostTwitInput has no field "__typename".`},
		"an object for @skip's argument": {"mutation{" + play + `1}) @skip(if:{}){count}}`, nil,
			"expected a value of the type Boolean!, found {}: it must be true or false"},
	} {
		t.Run(name, func(t *testing.T) {
			value, err := oracle.Decode(s.ask(t, test.query, test.variables, as("boss")))
			if err != nil {
				t.Fatal(err)
			}
			errors, _ := oracle.Get(value, "errors").(oracle.List)
			if len(errors) != 1 || oracle.Get(value, "data") != nil {
				t.Fatal(sprint(value))
			}
			if diff := cmp.Diff(test.message, oracle.Get(errors[0], "message")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if !cmp.Equal(before, allCells(t, s.store)) {
				t.Error("the store was changed")
			}
		})
	}
}

// A nullable variable with a default is valid in a non-null position.
func TestNullForNonNullArgumentFailsItsFieldOnly(t *testing.T) {
	s := newPeopleGateway(t, folderOf(t, people))
	body := s.ask(t, `query($u:String="boss",$i:ID="x"){
		user(username:$u){username} node(id:$i){id} boss:user(username:"boss"){username}}`,
		map[string]any{"u": nil, "i": nil}, as("boss"))
	got, err := decodeAnswer(body)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"user BAD_USER_INPUT", "node BAD_USER_INPUT"}, got.Errors); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
	if want := `{"user":null,"node":null,"boss":{"username":"boss"}}`; !strings.Contains(string(body), want) {
		t.Errorf("%s, want %s", body, want)
	}
}

func TestBlockStringsAndEscapesAreDecoded(t *testing.T) {
	s := newPeopleGateway(t, folderOf(t, people))
	for literal, want := range map[string]string{
		`"""a\n  b"""`:                    `a\n  b`,
		"\"\"\"a\n    b\n      c\n\"\"\"": "a\nb\n  c",
		`"\uD83D\uDE00 \u{1F600}"`:        "😀 😀",
	} {
		got := s.query(t, as("boss"), `mutation{postTwit(input:{content:`+literal+`}){twit{content}}}`)
		if diff := cmp.Diff(want, oracle.Get(got, "postTwit", "twit", "content")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", literal, diff)
		}
	}
}

// A Date is a string until the field checks it.
func TestInvalidDateFailsItsFieldOnly(t *testing.T) {
	s := newPeopleGateway(t, folderOf(t, people))
	for _, day := range []string{"2014-02-30", "1969-12-31", "today", ""} {
		got, err := decodeAnswer(s.ask(t, `query($day:Date!){game(code:"chess"){name plays(from:$day,to:"2014-12-25"){day}}}`,
			map[string]any{"day": day}, unauthenticated))
		if err != nil || !cmp.Equal([]string{"game.plays BAD_USER_INPUT"}, got.Errors) {
			t.Errorf("%q: errors %q, %v", day, got.Errors, err)
		}
		if name := oracle.Get(got.Data, "game", "name"); name != "Chess" {
			t.Errorf("%q: the name is %v", day, name)
		}
	}
}
