package e2e

import (
	"encoding/json"
	"fmt"
	"testing"

	"twibase/e2e/oracle"
	"twibase/hbase/tables"
)

// The writer's twit w is public. The owner's twit m is for followers, such as the fan.
func TestLikeIsIdempotentAndNeedsAVisibleTwit(t *testing.T) {
	files := morePeople()
	delete(files, "likes")
	s := newPeopleGateway(t, folderOf(t, files))
	const shown = `twit{likeCount viewerLikes likes{totalCount nodes{username}}} userErrors{code field}`
	text := func(viewer oracle.Viewer, query string, path ...string) string {
		var value any = s.data(t, query, viewer)
		for _, name := range path {
			value = value.(map[string]any)[name]
		}
		b, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	for _, step := range []struct {
		viewer         string
		mutation, twit string
		want           string
	}{
		{"somebody", "unlike", "<w>", `{"twit":{"likeCount":0,"likes":{"nodes":[],"totalCount":0},"viewerLikes":false},"userErrors":[]}`},
		{"somebody", "like", "<w>", `{"twit":{"likeCount":1,"likes":{"nodes":[{"username":"somebody"}],"totalCount":1},"viewerLikes":true},"userErrors":[]}`},
		{"somebody", "like", "<w>", `{"twit":{"likeCount":1,"likes":{"nodes":[{"username":"somebody"}],"totalCount":1},"viewerLikes":true},"userErrors":[]}`},
		{"fan", "like", "<w>", `{"twit":{"likeCount":2,"likes":{"nodes":[{"username":"fan"},{"username":"somebody"}],"totalCount":2},"viewerLikes":true},"userErrors":[]}`},
		{"somebody", "unlike", "<w>", `{"twit":{"likeCount":1,"likes":{"nodes":[{"username":"fan"}],"totalCount":1},"viewerLikes":false},"userErrors":[]}`},
		{"somebody", "like", "<m>", `{"twit":null,"userErrors":[{"code":"NOT_FOUND","field":"twitId"}]}`},
		{"somebody", "unlike", "<m>", `{"twit":null,"userErrors":[{"code":"NOT_FOUND","field":"twitId"}]}`},
		{"somebody", "like", "<owner>", `{"twit":null,"userErrors":[{"code":"NOT_FOUND","field":"twitId"}]}`},
		{"fan", "like", "<m>", `{"twit":{"likeCount":1,"likes":{"nodes":[{"username":"fan"}],"totalCount":1},"viewerLikes":true},"userErrors":[]}`},
	} {
		query := s.ids.Replace(fmt.Sprintf(`mutation{m:%s(input:{twitId:%q}){%s}}`, step.mutation, step.twit, shown))
		if got := text(as(step.viewer), query, "m"); got != step.want {
			t.Errorf("%s by %s of %s: got\n%s, want\n%s", step.mutation, step.viewer, step.twit, got, step.want)
		}
	}

	likedBy := func(viewer oracle.Viewer) string {
		return text(viewer, `{user(username:"fan"){likedTwits{nodes{content}}}}`, "user", "likedTwits", "nodes")
	}
	both, one := `[{"content":"a moment"},{"content":"by the writer"}]`, `[{"content":"by the writer"}]`
	for _, see := range []struct {
		viewer oracle.Viewer
		want   string
	}{{as("fan"), both}, {as("owner"), both}, {as("boss"), both}, {as("somebody"), one}, {unauthenticated, one}} {
		if got := likedBy(see.viewer); got != see.want {
			t.Errorf("%q: got the likes %s, want %s", see.viewer.Username, got, see.want)
		}
	}

	s.mutate(t, as("writer"), "deleteTwit", s.ids.Replace(`{id:"<w>"}`), "deletedId")
	if got, want := likedBy(as("fan")), `[{"content":"a moment"}]`; got != want {
		t.Errorf("after the deletion of a twit: got the likes %s, want %s", got, want)
	}
	s.mutate(t, as("fan"), "deleteUser", `{username:"fan"}`, "deletedId")
	s.root.Writers.Close(t.Context())
	m := text(as("owner"), s.ids.Replace(`{twit(id:"<m>"){likeCount likes{nodes{username}}}}`), "twit")
	if want := `{"likeCount":0,"likes":{"nodes":[]}}`; m != want {
		t.Errorf("after the deletion of the user who likes it: got the twit %s, want %s", m, want)
	}
	if likes := exported(t, s.store)[tables.Likes.File+".csv"]; likes != "username,twit\n" {
		t.Errorf("the export has %q", likes)
	}
}
