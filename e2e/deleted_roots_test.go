package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"twibase/transfer"
)

// Whoever pages through all users, roles or games meets each that is there once, however many before them were deleted.
func TestPagesOfRootsGoOnBehindWhatWasDeleted(t *testing.T) {
	store := inMemory(t)
	users, roles, games := "username,name\n", "id,name,department\n", "id,name\n"
	for i := range 20 {
		users, roles, games = users+fmt.Sprintf("u%02d,U\n", i), roles+fmt.Sprintf("r%02d,R,\n", i), games+fmt.Sprintf("g%02d,G\n", i)
	}
	importInto(t, store, folderOf(t, map[string]string{"users": users, "roles": roles, "games": games}), transfer.Options{})
	s := &stage{gateway: newGateway("embedded", store)}
	for i := range 20 {
		if i%4 != 0 {
			s.decided(t, "users", fmt.Sprintf("u%02d", i))
			s.decided(t, "roles", fmt.Sprintf("r%02d", i))
			s.decided(t, "games", fmt.Sprintf("g%02d", i))
		}
	}
	handler := reporting(store, plannedSchema())
	for _, root := range []struct{ field, name, prefix string }{{"users", "username", "u"}, {"roles", "code", "r"}, {"games", "code", "g"}} {
		want := []string{root.prefix + "00", root.prefix + "04", root.prefix + "08", root.prefix + "12", root.prefix + "16"}
		for _, way := range []struct{ size, from, end, more string }{{"first", "after", "endCursor", "hasNextPage"}, {"last", "before", "startCursor", "hasPreviousPage"}} {
			for size := 1; size <= 21; size += 4 {
				var met []string
				cursor := "null"
				for more := true; more; {
					var answer struct {
						Data map[string]struct {
							Edges []struct {
								Cursor string
								Node   map[string]string
							}
							PageInfo map[string]any
						}
					}
					body := sendFor(t, handler, fmt.Sprintf(`{%s(%s:%d,%s:%s){edges{cursor node{%s}} pageInfo{%s %s}}}`,
						root.field, way.size, size, way.from, cursor, root.name, way.end, way.more), "")
					if err := json.Unmarshal(body, &answer); err != nil || len(met) > 20 {
						t.Fatal(err, string(cut(body)))
					}
					page := answer.Data[root.field]
					for _, edge := range page.Edges {
						met = append(met, edge.Node[root.name])
					}
					if more = page.PageInfo[way.more] == true; more {
						cursor = fmt.Sprintf("%q", page.PageInfo[way.end])
					}
				}
				if slices.Sort(met); !slices.Equal(met, want) {
					t.Errorf("pages of the %s %d %s have %v, want %v", way.size, size, root.field, met, want)
				}
			}
		}
	}
}
