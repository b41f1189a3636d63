package e2e

import (
	"slices"
	"strings"
	"testing"

	"twibase/e2e/oracle"
)

// thing is something with an id.
type thing struct {
	typ, name          string // of users their name, of others their code
	author, twitAuthor string // of twits and comments
	moment             bool
}

// watcher says what of the administrator's answer others see, by the table of docs/PERMISSIONS.md.
type watcher struct {
	viewer  oracle.Viewer
	rows    map[string][]bool // by column
	things  map[string]thing
	follows map[[2]string]bool
	moments map[string]float64 // by author
}

// may looks into the table.
func (w *watcher) may(row, owner, twitAuthor string) bool {
	name := w.viewer.Username
	known := w.viewer != stranger
	is := []bool{true, known, known && name == owner, known && name == twitAuthor, w.follows[[2]string{name, owner}], name == "boss"}
	for column, yes := range w.rows[row] {
		if yes && is[column] {
			return true
		}
	}
	return false
}

// sees reports whether something of the administrator's answer is there for the viewer.
func (w *watcher) sees(value any) bool {
	o, _ := value.(map[string]any)
	if kind, _ := o["__typename"].(string); strings.HasSuffix(kind, "Edge") {
		return w.sees(o["node"])
	}
	id, _ := o["id"].(string)
	thing := w.things[id]
	switch row := seeComment; {
	case thing.typ == "Twit":
		if row = seeTwit; thing.moment {
			row = seeMoment
		}
		return w.may(row, thing.author, "")
	case thing.typ == "Comment":
		return w.may(row, thing.author, thing.twitAuthor)
	}
	return true
}

// hide returns what the viewer sees of what the administrator sees.
func (w *watcher) hide(value any) any {
	switch value := value.(type) {
	case []any:
		all := make([]any, len(value)) // with null for what is not there
		for i, v := range value {
			all[i] = w.hide(v)
		}
		return all
	case map[string]any:
		if !w.sees(value) {
			return nil
		}
		all := map[string]any{}
		for name, v := range value {
			all[name] = w.hide(v)
		}
		w.limit(all, value)
		return all
	}
	return value
}

// limit takes away what an object itself has only for some.
func (w *watcher) limit(all, whole map[string]any) {
	switch all["__typename"] {
	case "User":
		id, _ := all["id"].(string)
		name := w.things[id].name
		if _, has := all["email"]; !has {
			return // it is its id alone
		}
		if !w.may(seeEmail, name, "") {
			all["email"] = nil
		}
		if !w.may(seeTimeline, name, "") {
			all["timeline"] = nil
		}
		all["viewerFollows"] = w.follows[[2]string{w.viewer.Username, name}]
		if !w.may(countMoments, name, "") {
			all["twitCount"] = all["twitCount"].(float64) - w.moments[name]
			for _, list := range []string{"twits", "album"} {
				if list := all[list].(map[string]any); list["totalCount"] != nil {
					list["totalCount"] = list["totalCount"].(float64) - w.moments[name]
				}
			}
		}
	case "Twit":
		if likes, has := whole["likes"].(map[string]any); has {
			all["viewerLikes"] = slices.ContainsFunc(likes["nodes"].([]any), func(user any) bool {
				id, _ := user.(map[string]any)["id"].(string)
				return w.viewer != stranger && w.things[id].name == w.viewer.Username
			})
		}
	case "TwitConnection", "CommentConnection":
		for _, list := range []string{"edges", "nodes"} {
			seen := []any{}
			for i, v := range whole[list].([]any) {
				if w.sees(v) {
					seen = append(seen, all[list].([]any)[i])
				}
			}
			all[list] = seen
		}
		uncursored(all)
	}
}

// uncursored takes the cursors away that may be those of entries which the viewer does not see: the last that a page looked at.
func uncursored(connection map[string]any) {
	page := connection["pageInfo"].(map[string]any)
	delete(page, "startCursor")
	delete(page, "endCursor")
}

// withoutCursors takes away from an answer what hide takes away from the administrator's.
func withoutCursors(value any) any {
	switch value := value.(type) {
	case []any:
		for _, v := range value {
			withoutCursors(v)
		}
	case map[string]any:
		if kind := value["__typename"]; kind == "TwitConnection" || kind == "CommentConnection" {
			uncursored(value)
		}
		for _, v := range value {
			withoutCursors(v)
		}
	}
	return value
}

func watchers(t *testing.T, things map[string]thing, follows map[[2]string]bool) (all []*watcher) {
	t.Helper()
	rows, moments := map[string][]bool{}, map[string]float64{}
	for _, row := range permissions(t) {
		rows[row.what] = row.may
	}
	for _, thing := range things {
		if thing.moment {
			moments[thing.author]++
		}
	}
	for _, viewer := range askers {
		all = append(all, &watcher{viewer, rows, things, follows, moments})
	}
	return all
}
