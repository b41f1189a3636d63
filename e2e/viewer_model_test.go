package e2e

import (
	"slices"
	"strings"
	"testing"

	"twibase/e2e/oracle"
)

type object struct {
	typ, name          string
	author, twitAuthor string
	moment             bool
}

type viewerModel struct {
	viewer  oracle.Viewer
	rows    map[string][]bool
	objects map[string]object
	follows map[[2]string]bool
	moments map[string]float64
}

func (m *viewerModel) may(row, owner, twitAuthor string) bool {
	name := m.viewer.Username
	known := m.viewer != unauthenticated
	is := []bool{true, known, known && name == owner, known && name == twitAuthor, m.follows[[2]string{name, owner}],
		name == "boss"}
	for column, yes := range m.rows[row] {
		if yes && is[column] {
			return true
		}
	}
	return false
}

func (m *viewerModel) sees(value any) bool {
	fields, _ := value.(map[string]any)
	if kind, _ := fields["__typename"].(string); strings.HasSuffix(kind, "Edge") {
		return m.sees(fields["node"])
	}
	id, _ := fields["id"].(string)
	o := m.objects[id]
	switch row := seeComment; {
	case o.typ == "Twit":
		if row = seeTwit; o.moment {
			row = seeMoment
		}
		return m.may(row, o.author, "")
	case o.typ == "Comment":
		return m.may(row, o.author, o.twitAuthor)
	}
	return true
}

func (m *viewerModel) hide(value any) any {
	switch value := value.(type) {
	case []any:
		all := make([]any, len(value))
		for i, v := range value {
			all[i] = m.hide(v)
		}
		return all
	case map[string]any:
		if !m.sees(value) {
			return nil
		}
		all := map[string]any{}
		for name, v := range value {
			all[name] = m.hide(v)
		}
		m.limit(all, value)
		return all
	}
	return value
}

func (m *viewerModel) limit(all, whole map[string]any) {
	switch all["__typename"] {
	case "User":
		id, _ := all["id"].(string)
		name := m.objects[id].name
		if _, has := all["email"]; !has {
			return
		}
		if !m.may(seeEmail, name, "") {
			all["email"] = nil
		}
		if !m.may(seeTimeline, name, "") {
			all["timeline"] = nil
		}
		all["viewerFollows"] = m.follows[[2]string{m.viewer.Username, name}]
		if !m.may(countMoments, name, "") {
			all["twitCount"] = all["twitCount"].(float64) - m.moments[name]
			for _, list := range []string{"twits", "album"} {
				if list := all[list].(map[string]any); list["totalCount"] != nil {
					list["totalCount"] = list["totalCount"].(float64) - m.moments[name]
				}
			}
		}
	case "Twit":
		if likes, has := whole["likes"].(map[string]any); has {
			all["viewerLikes"] = slices.ContainsFunc(likes["nodes"].([]any), func(user any) bool {
				id, _ := user.(map[string]any)["id"].(string)
				return m.viewer != unauthenticated && m.objects[id].name == m.viewer.Username
			})
		}
	case "TwitConnection", "CommentConnection":
		for _, list := range []string{"edges", "nodes"} {
			seen := []any{}
			for i, v := range whole[list].([]any) {
				if m.sees(v) {
					seen = append(seen, all[list].([]any)[i])
				}
			}
			all[list] = seen
		}
		removeCursors(all)
	}
}

// Cursors of a page may be those of hidden candidates.
func removeCursors(connection map[string]any) {
	page := connection["pageInfo"].(map[string]any)
	delete(page, "startCursor")
	delete(page, "endCursor")
}

func withoutCursors(value any) any {
	switch value := value.(type) {
	case []any:
		for _, v := range value {
			withoutCursors(v)
		}
	case map[string]any:
		if kind := value["__typename"]; kind == "TwitConnection" || kind == "CommentConnection" {
			removeCursors(value)
		}
		for _, v := range value {
			withoutCursors(v)
		}
	}
	return value
}

func viewerModels(t *testing.T, objects map[string]object, follows map[[2]string]bool) (all []*viewerModel) {
	t.Helper()
	rows, moments := map[string][]bool{}, map[string]float64{}
	for _, row := range permissionRows(t) {
		rows[row.what] = row.allowed
	}
	for _, o := range objects {
		if o.moment {
			moments[o.author]++
		}
	}
	for _, viewer := range tableViewers {
		all = append(all, &viewerModel{viewer, rows, objects, follows, moments})
	}
	return all
}
