package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"twibase/e2e/oracle"
)

type edgeCase struct {
	viewer          oracle.Viewer
	mutation, input string
	field           string
	shown           string
	// list has PAGE in place of its arguments.
	list string
	path []string
}

const (
	followers = `{user(username:"owner"){list:followers(PAGE)ENTRIES}}`
	following = `{user(username:"owner"){list:following(PAGE)ENTRIES}}`
	twitsOf   = `{user(username:"owner"){list:twits(PAGE)ENTRIES}}`
	albumOf   = `{user(username:"owner"){list:album(PAGE)ENTRIES}}`
	photo     = `{content:"new",photoUrls:["https://example.org/c.jpg"]}`
)

var edgeCases = []edgeCase{
	{as("owner"), "follow", `{username:"third"}`, "userEdge", "followedAt node{username name}", following, []string{"user"}},
	{as("owner"), "follow", `{username:"writer"}`, "userEdge", "followedAt node{followerCount}", following, []string{"user"}},
	{as("third"), "follow", `{username:"owner"}`, "followerEdge", "followedAt node{name}", followers, []string{"user"}},
	{as("fan"), "follow", `{username:"owner"}`, "followerEdge", "followedAt node{username}", followers, []string{"user"}},
	{as("owner"), "postTwit", `{content:"new"}`, "twitEdge", "node{content postedAt}", twitsOf, []string{"user"}},
	{as("owner"), "postTwit", photo, "albumEdge", "node{content photoUrls}", albumOf, []string{"user"}},
	{as("fan"), "like", `{twitId:"<w>"}`, "twitEdge", "node{content likeCount}",
		`{user(username:"fan"){list:likedTwits(PAGE)ENTRIES}}`, []string{"user"}},
	{as("fan"), "like", `{twitId:"<p>"}`, "twitEdge", "node{content}",
		`{user(username:"fan"){list:likedTwits(PAGE)ENTRIES}}`, []string{"user"}},
	{as("owner"), "like", `{twitId:"<p>"}`, "userEdge", "followedAt node{name}", `{twit(id:"<p>"){list:likes(PAGE)ENTRIES}}`,
		[]string{"twit"}},
	{as("boss"), "addComment", `{twitId:"<w>",content:"new"}`, "commentEdge", "node{content postedAt}",
		`{twit(id:"<w>"){list:comments(PAGE)ENTRIES}}`, []string{"twit"}},
	{as("boss"), "assignRole", `{username:"third",role:"artist"}`, "roleEdge", "node{code name}",
		`{user(username:"third"){list:roles(PAGE)ENTRIES}}`, []string{"user"}},
	{as("boss"), "assignRole", `{username:"owner",role:"developer"}`, "userEdge", "followedAt node{name}",
		`{role(code:"developer"){list:users(PAGE)ENTRIES}}`, []string{"role"}},
	{as("third"), "recordPlay", `{game:"chess",count:3}`, "gameEdge", "day count node{name playerCount}",
		`{user(username:"third"){list:games(PAGE)ENTRIES}}`, []string{"user"}},
	{as("somebody"), "recordPlay", `{game:"chess"}`, "userEdge", "node{name}",
		`{game(code:"chess"){list:players(PAGE)ENTRIES}}`, []string{"game"}},
	{as("boss"), "createUser", `{username:"young",name:"Young"}`, "userEdge", "followedAt node{name}",
		`{list:users(PAGE)ENTRIES}`, nil},
	{as("boss"), "createRole", `{code:"young",department:"dev"}`, "roleEdge", "node{name department{code}}",
		`{list:roles(PAGE)ENTRIES}`, nil},
	{as("boss"), "createGame", `{code:"young"}`, "gameEdge", "day count node{name}", `{list:games(PAGE)ENTRIES}`, nil},
	{as("boss"), "createDepartment", `{code:"young",name:"E"}`, "departmentEdge", "depth node{name}",
		`{list:topDepartments(PAGE)ENTRIES}`, nil},
	{as("boss"), "createDepartment", `{code:"young",name:"E",parent:"ceo"}`, "departmentEdge", "node{parent{code}}",
		`{department(code:"ceo"){list:subDepartments(PAGE)ENTRIES}}`, []string{"department"}},
	{as("boss"), "updateDepartment", `{code:"dev",name:"Zoo"}`, "departmentEdge", "depth node{name}",
		`{department(code:"ceo"){list:subDepartments(PAGE)ENTRIES}}`, []string{"department"}},
	{as("boss"), "moveDepartment", `{code:"dev",parent:null}`, "departmentEdge", "node{code}",
		`{list:topDepartments(PAGE)ENTRIES}`, nil},
}

func (c edgeCase) entries(t *testing.T, s *peopleGateway, page string) []any {
	t.Helper()
	query := strings.NewReplacer("PAGE", page, "ENTRIES", "{edges"+c.selection()+"}").Replace(c.list)
	value := any(s.data(t, s.ids.Replace(query), c.viewer))
	for _, name := range append(c.path, "list", "edges") {
		value = value.(map[string]any)[name]
	}
	return value.([]any)
}

func (c edgeCase) selection() string { return "{cursor id:node{id} " + c.shown + "}" }

func TestEdgeOfPayloadEqualsThatOfItsList(t *testing.T) {
	files := morePeople()
	files["users"] += "\nlast,Last,\nanother,Another,"
	files["follows"] += "\nowner,last,2014-06-01T00:00:00Z\nlast,owner,2014-04-01T00:00:00Z\nowner,another,"
	files["roles"] += "\nartist,Artist,\nwelder,Welder,"
	files["user_roles"] += "\nthird,welder\nlast,developer\nanother,developer"
	files["games"] += "\nbridge,Bridge\ngo,Go"
	files["plays"] += "\nthird,bridge,2014-12-25,2\nthird,go,2014-12-25,2\nanother,chess,2014-12-25,1"
	files["departments"] += "\nart,Art,ceo\nshop,Shop,ceo"
	folder := folderOf(t, files)
	for _, c := range edgeCases {
		t.Run(c.mutation+" "+c.input+" "+c.field, func(t *testing.T) {
			s := newPeopleGateway(t, folder)
			payload := s.data(t, s.ids.Replace(fmt.Sprintf(`mutation{m:%s(input:%s){%s%s userErrors{message}}}`,
				c.mutation, c.input, c.field, c.selection())), c.viewer)["m"].(map[string]any)
			edge, _ := payload[c.field].(map[string]any)
			if edge == nil {
				t.Fatalf("the payload %v has no edge", payload)
			}
			list := c.entries(t, s, "first:100")
			at := slices.IndexFunc(list, func(e any) bool { return cmp.Equal(e.(map[string]any)["id"], edge["id"]) })
			if at < 0 || len(list) < 2 {
				t.Fatalf("the list %v does not have the edge %v and another", list, edge)
			}
			if diff := cmp.Diff(list[at], any(edge)); diff != "" {
				t.Errorf("the edge (-of the list +of the payload):\n%s", diff)
			}
			if diff := cmp.Diff(list[at+1:], c.entries(t, s, fmt.Sprintf("first:100,after:%q", edge["cursor"]))); diff != "" {
				t.Errorf("the entries after the edge (-refetched +paged):\n%s", diff)
			}
			if diff := cmp.Diff(list[:at], c.entries(t, s, fmt.Sprintf("last:100,before:%q", edge["cursor"]))); diff != "" {
				t.Errorf("the entries before the edge (-refetched +paged):\n%s", diff)
			}
		})
	}
}

func TestEveryEdgeOfAPayloadHasACase(t *testing.T) {
	for _, mutation := range apiSchema.Mutation.Fields {
		for _, field := range apiSchema.Types[mutation.Type.Name()].Fields {
			if strings.HasSuffix(field.Type.Name(), "Edge") && !slices.ContainsFunc(edgeCases, func(c edgeCase) bool {
				return c.mutation == mutation.Name && c.field == field.Name
			}) {
				t.Errorf("%s.%s has no row in edgeCases", mutation.Name, field.Name)
			}
		}
	}
}

func TestPayloadWithUserErrorsHasNoEdge(t *testing.T) {
	s := newPeopleGateway(t, folderOf(t, people))
	for _, mutation := range apiSchema.Mutation.Fields {
		i := slices.IndexFunc(userErrorCases, func(r userErrorCase) bool { return r.mutation == mutation.Name })
		selected := []string{"userErrors{code}", "query{viewer{username}}"}
		for _, field := range apiSchema.Types[mutation.Type.Name()].Fields {
			if strings.HasSuffix(field.Type.Name(), "Edge") {
				selected = append(selected, field.Name+"{cursor node{id}}")
			}
		}
		r := userErrorCases[i]
		payload := s.data(t, s.ids.Replace("mutation{m:"+r.mutation+"(input:"+r.input+"){"+strings.Join(selected, " ")+"}}"),
			as("boss"))["m"].(map[string]any)
		for name, value := range payload {
			switch {
			case name == "userErrors" && len(value.([]any)) == 0:
				t.Errorf("%s has no user errors", mutation.Name)
			case strings.HasSuffix(name, "Edge") && value != nil:
				t.Errorf("%s.%s: got %v, want null", mutation.Name, name, value)
			case name == "query" && !cmp.Equal(value, any(map[string]any{"viewer": map[string]any{"username": "boss"}})):
				t.Errorf("%s.query: got %v", mutation.Name, value)
			}
		}
	}
}

func TestTwitOutsideOfTheAlbumHasNoAlbumEdge(t *testing.T) {
	s := newPeopleGateway(t, folderOf(t, people))
	payload := s.data(t, `mutation{postTwit(input:{content:"plain"}){twitEdge{cursor} albumEdge{cursor}}}`, as("owner"))
	if p := payload["postTwit"].(map[string]any); p["albumEdge"] != nil || p["twitEdge"] == nil {
		t.Errorf("got %v", p)
	}
}

func TestPayloadHasTheStateAfterItsMutation(t *testing.T) {
	files := morePeople()
	files["likes"] = "username,twit,liked_at\nwriter,w,"
	s := newPeopleGateway(t, folderOf(t, files))
	const viewer = `viewer{followingCount twitCount likedTwits{nodes{content}}}`
	const count = `query{user(username:"third"){followerCount} twit(id:"<w>"){likeCount viewerLikes}}`
	got := s.data(t, s.ids.Replace(`mutation{
		a:follow(input:{username:"third"}){`+viewer+count+`}
		b:like(input:{twitId:"<w>"}){`+viewer+count+`}
		c:postTwit(input:{content:"new"}){`+viewer+`}
		d:unfollow(input:{username:"third"}){`+viewer+count+`}
		e:unlike(input:{twitId:"<w>"}){`+viewer+count+`}
		f:deleteTwit(input:{id:"<p>"}){`+viewer+`query{twit(id:"<p>"){id} node(id:"<p>"){id}}}
		g:deleteUser(input:{username:"owner"}){query{viewer{id} user(username:"owner"){id}}}}`), as("owner"))
	state := func(following, twits int, liked ...any) map[string]any {
		nodes := []any{}
		for _, content := range liked {
			nodes = append(nodes, map[string]any{"content": content})
		}
		return map[string]any{"followingCount": float64(following), "twitCount": float64(twits),
			"likedTwits": map[string]any{"nodes": nodes}}
	}
	counts := func(followers, likes int, liked bool) map[string]any {
		return map[string]any{"user": map[string]any{"followerCount": float64(followers)},
			"twit": map[string]any{"likeCount": float64(likes), "viewerLikes": liked}}
	}
	want := map[string]any{
		"a": map[string]any{"viewer": state(2, 3), "query": counts(1, 1, false)},
		"b": map[string]any{"viewer": state(2, 3, "by the writer"), "query": counts(1, 2, true)},
		"c": map[string]any{"viewer": state(2, 4, "by the writer")},
		"d": map[string]any{"viewer": state(1, 4, "by the writer"), "query": counts(0, 2, true)},
		"e": map[string]any{"viewer": state(1, 4), "query": counts(0, 1, false)},
		"f": map[string]any{"viewer": state(1, 3), "query": map[string]any{"twit": nil, "node": nil}},
		"g": map[string]any{"query": map[string]any{"viewer": nil, "user": nil}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
