package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPayloadsShowWhatIsSeenElsewhere makes every mutation, by everybody who may, and wants each thing of its payload to be as the same person sees it by its
// id: after it, or before it if that deletes it.
func TestPayloadsShowWhatIsSeenElsewhere(t *testing.T) {
	folder := folderOf(t, walkCast())
	for _, row := range permissions(t) {
		input, ok := inputs[row.what]
		if !ok || row.what == "logIn" { // by a wrong password
			continue
		}
		t.Run(row.what, func(t *testing.T) {
			deletes := strings.HasPrefix(row.what, "delete")
			compared := 0
			for i, viewer := range askers {
				if !row.may[i] {
					continue
				}
				s := newStage(t, folder)
				node := func(id string) any {
					return withoutCursors(s.data(t, fmt.Sprintf("{node(id:%q)%s}", id, selection(t, "Node", 0)), viewer)["node"])
				}
				before := map[string]any{}
				if deletes {
					for id := range s.things(t) {
						before[id] = node(id)
					}
				}
				field := walkSchema.Mutation.Fields.ForName(row.what)
				payload := s.data(t, s.ids.Replace("mutation{"+row.what+"(input:"+input+")"+selection(t, field.Type.Name(), 1)+"}"), viewer)[row.what].(map[string]any)
				if errs := payload["userErrors"].([]any); len(errs) > 0 {
					t.Fatalf("%q: %v", viewer.Username, errs)
				}
				for name, value := range payload {
					shown, isThing := value.(map[string]any)
					if !isThing {
						continue
					}
					want := before[shown["id"].(string)]
					if deletes { // then the lists of what is gone may be gone too
						want, shown = leaves(want), leaves(shown)
					} else {
						want = node(shown["id"].(string))
					}
					compared++
					if diff := cmp.Diff(want, withoutCursors(shown)); diff != "" {
						t.Errorf("%q sees in %s what is not seen elsewhere (-elsewhere +here):\n%s", viewer.Username, name, diff)
					}
				}
			}
			if compared == 0 {
				t.Error("no payload has anything")
			}
		})
	}
}

// leaves are the fields of an object that are text: all others may follow from lists.
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
