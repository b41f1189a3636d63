package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"twibase/e2e/oracle"
)

// walkCast has more to hide than the cast, and older, so that ids in angle brackets are those of the cast: moments of two, and comments by people of every sort on what everybody sees and on what not.
func walkCast() map[string]string {
	all := maps.Clone(cast)
	all["twits"] += "\nn,writer,2014-05-05T00:00:00Z,a moment of the writer's,https://example.org/a.jpg,FOLLOWERS\nq,owner,2014-05-06T00:00:00Z,with a photo,https://example.org/b.jpg,PUBLIC"
	all["comments"] += "\np,third,2014-06-07T00:00:00Z,by a third\nm,fan,2014-06-08T00:00:00Z,on a moment\nw,writer,2014-06-03T12:00:00Z,by the author\nn,owner,2014-06-09T01:00:00Z,on another moment"
	return all
}

// data asks, and wants no error.
func (s *stage) data(t *testing.T, query string, viewer oracle.Viewer) map[string]any {
	t.Helper()
	var a struct {
		Data   map[string]any
		Errors json.RawMessage
	}
	if err := json.Unmarshal(s.ask(t, query, nil, viewer), &a); err != nil || a.Errors != nil {
		t.Fatalf("%v, errors %.500s", err, a.Errors)
	}
	return a.Data
}

// things are all that have an id, as the administrator sees them.
func (s *stage) things(t *testing.T) map[string]thing {
	t.Helper()
	ids := map[string]bool{}
	var collect func(v any)
	collect = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, v := range v {
				collect(v)
			}
		case map[string]any:
			if id, ok := v["id"].(string); ok {
				ids[id] = true
			}
			for _, v := range v {
				collect(v)
			}
		}
	}
	for _, root := range []string{"users", "roles", "games", "topDepartments"} {
		field := walkSchema.Query.Fields.ForName(root)
		collect(s.data(t, "{"+root+"(first:100)"+selection(t, field.Type.Name(), 2)+"}", as("boss")))
	}
	things, sorts := map[string]thing{}, map[string]bool{}
	for id := range ids {
		n := s.data(t, fmt.Sprintf(`{node(id:%q){__typename ...on User{code:username} ...on Role{code} ...on Department{code} ...on Game{code}
			...on Twit{author{username} visibility} ...on Comment{author{username} twit{author{username}}}}}`, id), as("boss"))["node"].(map[string]any)
		thing := thing{typ: n["__typename"].(string), moment: n["visibility"] == "FOLLOWERS"}
		thing.name, _ = n["code"].(string)
		if author, ok := n["author"].(map[string]any); ok {
			thing.author = author["username"].(string)
		}
		if twit, ok := n["twit"].(map[string]any); ok {
			thing.twitAuthor = twit["author"].(map[string]any)["username"].(string)
		}
		things[id] = thing
		sorts[thing.typ] = true
	}
	for _, d := range walkSchema.GetPossibleTypes(walkSchema.Types["Node"]) {
		if !sorts[d.Name] {
			t.Errorf("there is no %s to walk", d.Name)
		}
	}
	return things
}

// TestWhoSeesWhichField asks for every field of the schema, on every way to it, by everybody in the table of docs/PERMISSIONS.md, and compares
// with what the administrator sees and the table lets through.
func TestWhoSeesWhichField(t *testing.T) {
	s := newStage(t, folderOf(t, walkCast()))
	things := s.things(t)
	follows := map[[2]string]bool{{"fan", "owner"}: true, {"owner", "writer"}: true}
	all := watchers(t, things, follows)
	for _, query := range ways(t, 1, things) {
		root, _, _ := strings.Cut(strings.TrimPrefix(query, "{"), "{")
		whole := s.data(t, query, as("boss"))
		for _, w := range all {
			want := whole
			if root == "viewer" && w.viewer == stranger {
				want = map[string]any{"viewer": nil}
			} else if root == "viewer" {
				user := s.data(t, strings.Replace(query, "viewer", fmt.Sprintf("viewer:user(username:%q)", w.viewer.Username), 1), as("boss"))
				want = map[string]any{"viewer": user["viewer"]}
			}
			if diff := cmp.Diff(w.hide(want), withoutCursors(s.data(t, query, w.viewer))); diff != "" {
				t.Errorf("%q asks for %s (-want +got):\n%s", w.viewer.Username, root, diff)
			}
		}
	}
}

// TestWhatIsHiddenChangesNoAnswer deletes what some may not see, and wants every answer to them to be as before, of queries and of mutations: then nothing
// tells them that it was there. What the page says that tells it is left out: how many comments there are, and where a page ends.
func TestWhatIsHiddenChangesNoAnswer(t *testing.T) {
	s := newStage(t, folderOf(t, walkCast()))
	things := s.things(t)
	var moment string
	for id, thing := range things {
		if thing.moment && thing.author == "writer" {
			moment = id
		}
	}
	remark := s.ids.Replace("<remark>")
	queries := ways(t, 1, things)
	for _, mutation := range []string{`deleteTwit(input:{id:%q})`, `addComment(input:{twitId:%q,content:" "})`} {
		queries = append(queries, `mutation{`+fmt.Sprintf(mutation, moment)+`{userErrors{code field message}}}`)
	}
	queries = append(queries, `mutation{`+fmt.Sprintf(`deleteComment(input:{id:%q})`, remark)+`{userErrors{code field message}}}`)
	answers := func(viewers ...oracle.Viewer) (all []string) {
		for _, viewer := range viewers {
			for _, query := range queries {
				var answer any
				if err := json.Unmarshal(s.ask(t, query, nil, viewer), &answer); err != nil {
					t.Fatal(err)
				}
				text, err := json.MarshalIndent(uncounted(withoutCursors(answer)), "", " ")
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, fmt.Sprintf("%q: %.60s\n%s", viewer.Username, query, text))
			}
		}
		return all
	}
	blind := []oracle.Viewer{stranger, as("somebody"), as("third")}
	before, seen := answers(blind...), answers(as("fan"))
	s.mutate(t, as("writer"), "deleteTwit", fmt.Sprintf(`{id:%q}`, moment), "deletedId")
	s.mutate(t, as("owner"), "deleteComment", fmt.Sprintf(`{id:%q}`, remark), "deletedId")
	if slices.Equal(seen, answers(as("fan"))) {
		t.Error("nobody sees that anything was deleted")
	}
	for i, after := range answers(blind...) {
		if before[i] != after {
			t.Errorf("somebody learns of it (-before +after):\n%s", cmp.Diff(before[i], after))
		}
	}
}

// uncounted takes away how many comments there are, of which everybody may know.
func uncounted(value any) any {
	switch value := value.(type) {
	case []any:
		for _, v := range value {
			uncounted(v)
		}
	case map[string]any:
		if value["__typename"] == "CommentConnection" {
			delete(value, "totalCount")
		}
		delete(value, "commentCount")
		for _, v := range value {
			uncounted(v)
		}
	}
	return value
}
