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

// The additions are older than the twits and comments of people, so that the ids in angle brackets
// stay the same.
func morePeople() map[string]string {
	all := maps.Clone(people)
	all["twits"] += "\nn,writer,2014-05-05T00:00:00Z,a moment of the writer's,https://example.org/a.jpg,FOLLOWERS\nq,owner,2014-05-06T00:00:00Z,with a photo,https://example.org/b.jpg,PUBLIC"
	all["comments"] += "\np,third,2014-06-07T00:00:00Z,by a third\nm,fan,2014-06-08T00:00:00Z,on a moment\nw,writer,2014-06-03T12:00:00Z,by the author\nn,owner,2014-06-09T01:00:00Z,on another moment"
	return all
}

func (s *peopleGateway) data(t *testing.T, query string, viewer oracle.Viewer) map[string]any {
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

func (s *peopleGateway) objects(t *testing.T) map[string]object {
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
		field := apiSchema.Query.Fields.ForName(root)
		collect(s.data(t, "{"+root+"(first:100)"+selection(t, field.Type.Name(), 2)+"}", as("boss")))
	}
	objects, nouns := map[string]object{}, map[string]bool{}
	for id := range ids {
		n := s.data(t, fmt.Sprintf(`{node(id:%q){__typename ...on User{code:username} ...on Role{code} ...on Department{code} ...on Game{code}
			...on Twit{author{username} visibility} ...on Comment{author{username} twit{author{username}}}}}`, id), as("boss"))["node"].(map[string]any)
		o := object{typ: n["__typename"].(string), moment: n["visibility"] == "FOLLOWERS"}
		o.name, _ = n["code"].(string)
		if author, ok := n["author"].(map[string]any); ok {
			o.author = author["username"].(string)
		}
		if twit, ok := n["twit"].(map[string]any); ok {
			o.twitAuthor = twit["author"].(map[string]any)["username"].(string)
		}
		objects[id] = o
		nouns[o.typ] = true
	}
	for _, d := range apiSchema.GetPossibleTypes(apiSchema.Types["Node"]) {
		if !nouns[d.Name] {
			t.Errorf("the people have no %s", d.Name)
		}
	}
	return objects
}

func TestFieldsShowOnlyWhatTheViewerMaySee(t *testing.T) {
	s := newPeopleGateway(t, folderOf(t, morePeople()))
	objects := s.objects(t)
	follows := map[[2]string]bool{{"fan", "owner"}: true, {"owner", "writer"}: true}
	models := viewerModels(t, objects, follows)
	for _, query := range allQueries(t, 1, objects) {
		root, _, _ := strings.Cut(strings.TrimPrefix(query, "{"), "{")
		whole := s.data(t, query, as("boss"))
		for _, m := range models {
			want := whole
			if root == "viewer" && m.viewer == unauthenticated {
				want = map[string]any{"viewer": nil}
			} else if root == "viewer" {
				user := s.data(t, strings.Replace(query, "viewer", fmt.Sprintf("viewer:user(username:%q)",
					m.viewer.Username), 1), as("boss"))
				want = map[string]any{"viewer": user["viewer"]}
			}
			if diff := cmp.Diff(m.hide(want), withoutCursors(s.data(t, query, m.viewer))); diff != "" {
				t.Errorf("%q queries %s (-want +got):\n%s", m.viewer.Username, root, diff)
			}
		}
	}
}

// Counts of comments and ends of pages may change.
func TestHiddenObjectsChangeNoResponse(t *testing.T) {
	s := newPeopleGateway(t, folderOf(t, morePeople()))
	objects := s.objects(t)
	var moment string
	for id, o := range objects {
		if o.moment && o.author == "writer" {
			moment = id
		}
	}
	remark := s.ids.Replace("<remark>")
	queries := allQueries(t, 1, objects)
	for _, mutation := range []string{`deleteTwit(input:{id:%q})`, `addComment(input:{twitId:%q,content:" "})`} {
		queries = append(queries, `mutation{`+fmt.Sprintf(mutation, moment)+`{userErrors{code field message}}}`)
	}
	queries = append(queries, `mutation{`+fmt.Sprintf(`deleteComment(input:{id:%q})`,
		remark)+`{userErrors{code field message}}}`)
	responses := func(viewers ...oracle.Viewer) (all []string) {
		for _, viewer := range viewers {
			for _, query := range queries {
				var answer any
				if err := json.Unmarshal(s.ask(t, query, nil, viewer), &answer); err != nil {
					t.Fatal(err)
				}
				text, err := json.MarshalIndent(removeCommentCounts(withoutCursors(answer)), "", " ")
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, fmt.Sprintf("%q: %.60s\n%s", viewer.Username, query, text))
			}
		}
		return all
	}
	unable := []oracle.Viewer{unauthenticated, as("somebody"), as("third")}
	before, seen := responses(unable...), responses(as("fan"))
	s.mutate(t, as("writer"), "deleteTwit", fmt.Sprintf(`{id:%q}`, moment), "deletedId")
	s.mutate(t, as("owner"), "deleteComment", fmt.Sprintf(`{id:%q}`, remark), "deletedId")
	if slices.Equal(seen, responses(as("fan"))) {
		t.Error("no response to a follower changed")
	}
	for i, after := range responses(unable...) {
		if before[i] != after {
			t.Errorf("the deletion of a hidden object is visible (-before +after):\n%s", cmp.Diff(before[i], after))
		}
	}
}

func removeCommentCounts(value any) any {
	switch value := value.(type) {
	case []any:
		for _, v := range value {
			removeCommentCounts(v)
		}
	case map[string]any:
		if value["__typename"] == "CommentConnection" {
			delete(value, "totalCount")
		}
		delete(value, "commentCount")
		for _, v := range value {
			removeCommentCounts(v)
		}
	}
	return value
}

// The payload of a deletion must equal node(id:) before it.
func TestPayloadsShowWhatNodeShows(t *testing.T) {
	folder := folderOf(t, morePeople())
	for _, row := range permissionRows(t) {
		input, ok := mutationInputs[row.what]
		if !ok || row.what == "logIn" {
			continue
		}
		t.Run(row.what, func(t *testing.T) {
			deletes := strings.HasPrefix(row.what, "delete")
			compared := 0
			for i, viewer := range tableViewers {
				if !row.allowed[i] {
					continue
				}
				s := newPeopleGateway(t, folder)
				node := func(id string) any {
					return withoutCursors(s.data(t, fmt.Sprintf("{node(id:%q)%s}", id, selection(t, "Node", 0)), viewer)["node"])
				}
				before := map[string]any{}
				if deletes {
					for id := range s.objects(t) {
						before[id] = node(id)
					}
				}
				field := apiSchema.Mutation.Fields.ForName(row.what)
				payload := s.data(t, s.ids.Replace("mutation{"+row.what+"(input:"+input+")"+selection(t, field.Type.Name(), 1)+"}"),
					viewer)[row.what].(map[string]any)
				if errs := payload["userErrors"].([]any); len(errs) > 0 {
					t.Fatalf("%q: %v", viewer.Username, errs)
				}
				for name, value := range payload {
					shown, isObject := value.(map[string]any)
					if node, isEdge := shown["node"].(map[string]any); isEdge {
						shown = node
					}
					if !isObject || name == "query" {
						continue
					}
					want := before[shown["id"].(string)]
					if deletes {
						want, shown = leaves(want), leaves(shown)
					} else {
						want = node(shown["id"].(string))
					}
					compared++
					if diff := cmp.Diff(want, withoutCursors(shown)); diff != "" {
						t.Errorf("%q: %s of the payload (-node +payload):\n%s", viewer.Username, name, diff)
					}
				}
			}
			if compared == 0 {
				t.Error("no payload has an object")
			}
		})
	}
}

// leaves omits fields that may depend on lists.
func leaves(of any) map[string]any {
	all := map[string]any{}
	object, _ := of.(map[string]any)
	for name, value := range object {
		if _, isText := value.(string); isText {
			all[name] = value
		}
	}
	return all
}
