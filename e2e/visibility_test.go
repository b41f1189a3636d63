package e2e

import (
	"strings"
	"testing"

	"twibase/e2e/oracle"
	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer"
)

var smallData = map[string]string{
	"users": `username,name,email,age,avatar_url,bio,created_at
LiLei,Li Lei,lilei@example.org,30,https://example.org/l.jpg,Plants trees.,2014-01-01T00:00:00Z
Lucy,Lucy,lucy@example.org,,,,
小红,小红,xh@example.org,7,,十二局俄罗斯方块,2014-01-01T08:30:00.125+08:00
follower,Follower,,,,,
other,Other,,,,,
boss,Boss,,,,,
empty,Empty,,,,,`,
	"departments": "id,name,parent\nceo,CEO,\n开发部,开发部,ceo\n",
	"roles":       "id,name,department\nadmin,Administrator,\ndeveloper,Developer,开发部\n",
	"user_roles":  "username,role\nboss,admin\n小红,developer\n",
	"follows": `follower,followee,followed_at
follower,Lucy,2014-05-01T00:00:00Z
follower,小红,
LiLei,Lucy,2014-03-01T00:00:00.5Z
LiLei,小红,2014-03-02T00:00:00Z
小红,Lucy,2014-03-01T00:00:00.5Z
other,Lucy,
boss,Lucy,
LiLei,other,`,
	"twits": `id,author,posted_at,content,photo_urls,title,visibility
p1,Lucy,2014-06-01T00:00:00Z,for all,,,PUBLIC
m1,Lucy,2014-06-02T00:00:00Z,a moment,,,FOLLOWERS
p2,Lucy,2014-06-03T00:00:00Z,a photo,https://example.org/1.jpg https://example.org/2.jpg,A title,
m2,Lucy,2014-06-04T00:00:00Z,a moment with a photo,https://example.org/3.jpg,,FOLLOWERS
m3,Lucy,2014-06-05T00:00:00Z,m3,,,FOLLOWERS
m4,Lucy,2014-06-05T00:00:00Z,m4,,,FOLLOWERS
m5,Lucy,2014-06-05T00:00:00Z,m5,,,FOLLOWERS
m6,Lucy,2014-06-06T00:00:00Z,m6,,,FOLLOWERS
m7,Lucy,2014-06-07T00:00:00Z,m7,,,FOLLOWERS
h1,小红,2014-06-05T00:00:00Z,你好,https://example.org/小红.jpg,,
h2,小红,2014-06-08T00:00:00Z,再见,,,
o1,other,2014-06-09T00:00:00Z,o1,,,FOLLOWERS`,
	"comments": `twit,author,posted_at,content
p1,小红,2014-06-01T01:00:00Z,by 小红
p1,other,2014-06-01T02:00:00Z,by other
p1,other,2014-06-01T02:00:00Z,by other
p1,boss,2014-06-01T03:00:00Z,by boss
p1,Lucy,2014-06-01T04:00:00Z,by Lucy
m1,小红,2014-06-02T01:00:00Z,below a moment
m1,empty,2014-06-02T02:00:00Z,by empty`,
	"likes": `username,twit,liked_at
小红,p1,2014-06-01T05:00:00Z
LiLei,p1,2014-06-01T05:00:00Z
follower,p1,
LiLei,m1,2014-06-02T05:00:00Z
LiLei,h1,
LiLei,o1,2014-06-09T05:00:00Z
LiLei,m2,2014-06-09T05:00:00Z
empty,p2,2014-06-10T00:00:00Z`,
	"games": "id,name\nchess,Chess\ngo,Go\n",
	"plays": "username,game,day,count\n小红,chess,2014-12-25,2\n小红,chess,2014-12-31,3\nLiLei,chess,2014-12-25,1\n",
}

func smallFixture(t *testing.T) *fixture {
	t.Helper()
	return smallFixtureWith(t, transfer.Options{})
}

func smallFixtureWith(t *testing.T, options transfer.Options) *fixture {
	t.Helper()
	f := newFixture(t, folderOf(t, smallData), options)
	f.check(t, root, `{users(first:100){nodes{id twits(first:100){nodes{id comments(first:100){nodes{id}}}}}}}`, nil)
	return f
}

func allViewers() []oracle.Viewer {
	all := []oracle.Viewer{unauthenticated, root, as("ghost")}
	for _, name := range []string{"LiLei", "Lucy", "小红", "follower", "other", "boss", "empty"} {
		all = append(all, as(name))
	}
	return all
}

func twitRef(id string) oracle.Ref { return oracle.Ref{Kind: "id", Owner: "Twit", Key: id} }

const visibilityQuery = `query($m:ID!,$p:ID!,$ids:[ID!]!){
	users(first:100){nodes{...All}} viewer{...All}
	twit(id:$m){...Post} node(id:$m){id ...on Twit{...Post}} public:twit(id:$p){...Post} nodes(ids:$ids){id ...on Twit{...Post} ...on Comment{...Remark}}
}
fragment All on User{username name email viewerFollows twitCount twits(first:100){totalCount nodes{...Post}} album(first:100){totalCount nodes{id photoUrls}}
	timeline(first:100){totalCount nodes{...Post} pageInfo{hasNextPage}}
	followers(first:100){totalCount edges{followedAt node{username}}} following(first:100){edges{followedAt node{username}}}}
fragment Post on Twit{id content visibility author{username} commentCount comments(first:100){totalCount nodes{...Remark}}}
fragment Remark on Comment{id content author{username email} twit{id content}}`

func (f *fixture) checkPaths(t *testing.T) {
	t.Helper()
	var ids []any
	for _, ref := range f.opaque.Seen["id"] {
		if ref.Owner == "Twit" || ref.Owner == "Comment" {
			ids = append(ids, ref)
		}
	}
	for _, viewer := range allViewers() {
		f.check(t, viewer, visibilityQuery, map[string]any{"m": twitRef("m1"), "p": twitRef("p1"), "ids": ids})
	}
}

func TestVisibilityHoldsOnEveryPath(t *testing.T) {
	for _, test := range []struct {
		name    string
		options transfer.Options
	}{
		{"twits in the timelines", transfer.Options{}},
		{"twits of broadcasters merged into the timelines", transfer.Options{FanoutLimit: 1}},
	} {
		t.Run(test.name, func(t *testing.T) { checkVisibility(t, smallFixtureWith(t, test.options)) })
	}
}

func checkVisibility(t *testing.T, f *fixture) {
	t.Run("twits, comments and emails on every path", f.checkPaths)
	t.Run("filtered pages", func(t *testing.T) {
		for _, field := range []string{"twits", "album", "timeline"} {
			for _, user := range []string{"Lucy", "LiLei", "follower"} {
				for _, viewer := range allViewers() {
					f.follow(t, viewer, testQuery{variables: map[string]any{"u": user}, connection: []any{"user", field},
						query: `query($u:String!,$cursor:String){user(username:$u){` +
							field + `(first:1,after:$cursor){nodes{id} edges{cursor} pageInfo{hasNextPage hasPreviousPage startCursor endCursor}}}}`})
					f.follow(t, viewer, testQuery{variables: map[string]any{"u": user}, connection: []any{"user", field},
						backward: true, query: `query($u:String!,$cursor:String){user(username:$u){` +
							field + `(last:1,before:$cursor){nodes{id} pageInfo{hasNextPage hasPreviousPage startCursor endCursor}}}}`})
				}
			}
		}
	})
	t.Run("an empty page may have a next page", func(t *testing.T) {
		_, got := f.check(t, unauthenticated, `{user(username:"Lucy"){twits(first:1){nodes{id} pageInfo{hasNextPage endCursor}}}}`,
			nil)
		page := oracle.Get(got, "user", "twits")
		if len(oracle.Get(page, "nodes").(oracle.List)) != 0 || oracle.Get(page, "pageInfo", "hasNextPage") != true {
			t.Errorf("the first four candidates are hidden from an unauthenticated client: got %v, want an empty page with a next page", page)
		}
	})
	t.Run("a user without data has empty lists and zeros", func(t *testing.T) {
		f.check(t, as("empty"), `{user(username:"empty"){followerCount followingCount twitCount email age avatarUrl createdAt isFollowing(username:"empty") viewerFollows
			followers{totalCount nodes{id} edges{cursor} pageInfo{hasNextPage hasPreviousPage startCursor endCursor}} following{nodes{id}}
			twits{totalCount nodes{id}} album{totalCount edges{cursor}} timeline{nodes{id} pageInfo{startCursor}} roles{totalCount nodes{id}} games{totalCount nodes{id}}}
			role(code:"developer"){userCount} game(code:"go"){isPlayed playerCount players{totalCount nodes{id}} plays(from:"1970-01-01",to:"9999-12-31"){day}}
			department(code:"开发部"){subDepartments{totalCount nodes{id}} descendants{nodes{id}} descendants0:descendants(maxDepth:0){edges{depth}} ancestors{code}}}`, nil)
	})
	t.Run("twits of an unfollowed author are hidden before their timeline entries are deleted", func(t *testing.T) {
		f.write(t, tables.Follows.Put("LiLei", "Lucy", false, tables.UnknownTime, 1_500_000_000_000))
		f.oracle.Unfollow("LiLei", "Lucy")
		f.checkPaths(t)
		_, got := f.check(t, as("LiLei"), `{viewer{timeline(first:100){nodes{author{username}}} isFollowing(username:"Lucy")} user(username:"Lucy"){viewerFollows twitCount}}`, nil)
		if text := sprint(got); strings.Contains(text, "Lucy") || !strings.Contains(text, "小红") {
			t.Error("got the timeline ", text)
		}
	})
	t.Run("a deleted twit is missing from every list and by its id", func(t *testing.T) {
		for _, id := range []string{"p2", "h2"} {
			twit := f.oracle.Twits[id]
			key := (&tables.Twit{AuthorName: twit.Author.Username, PostedAt: twit.PostedAt, Name: id}).Key()
			f.write(t,
				hbase.Delete{Table: tables.Twits.Table, Row: tables.RowKey(key.Author),
					Columns: []hbase.Deletion{{Kind: hbase.AllVersions, Family: tables.Twits.Family, Qualifier: key.Position}}},
				hbase.Delete{Table: tables.Albums.Table, Row: tables.RowKey(key.Author),
					Columns: []hbase.Deletion{{Kind: hbase.AllVersions, Family: tables.Albums.Family, Qualifier: key.Position}}})
			f.oracle.Delete(id)
		}
		// Deleted twits are candidates of timelines, but not of the author's own lists.
		candidates := " pageInfo{endCursor}} short:timeline(first:1){nodes{id} pageInfo{hasNextPage endCursor}"
		if f.options.FanoutLimit > 0 {
			candidates = ""
		}
		for _, viewer := range allViewers() {
			f.check(t, viewer, `query($a:ID!,$b:ID!){twit(id:$a){content} node(id:$b){id} users(first:100){nodes{twits(first:100){nodes{id}} album(first:100){nodes{id}}
				timeline(first:100){nodes{id} edges{cursor}`+candidates+`}}}}`,
				map[string]any{"a": twitRef("p2"), "b": twitRef("h2")})
		}
	})
}

func (f *fixture) write(t *testing.T, mutations ...hbase.Mutation) {
	t.Helper()
	errs, err := f.store.Mutate(t.Context(), mutations)
	if err != nil || errs != nil {
		t.Fatal(err, errs)
	}
}
