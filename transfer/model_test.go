package transfer

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// seedSetting repeats a random test.
var seedSetting = os.Getenv("TWIBASE_SEED")

// model is what a store should hold: table, row and column → value and timestamp. It is made row by row from the whole world, without
// batches, lookups or rebuilding.
type model map[string]string

func (m model) put(puts ...hbase.Put) {
	for _, p := range puts {
		for _, c := range p.Cells {
			m[fmt.Sprintf("%s %q %s:%q", p.Table, p.Row, c.Family, c.Qualifier)] = fmt.Sprintf("@%d %q", c.Timestamp, c.Value)
		}
	}
}

func inList[E any](m model, l *tables.List[E], owner string, member E, timestamp int64) {
	m.put(hbase.Put{Table: l.Table, Row: l.Row(owner, 0), Cells: []hbase.Cell{l.Cell(member, timestamp)}})
}

// lines are those of dump.
func (m model) lines() []string {
	var lines []string
	for column, value := range m {
		lines = append(lines, column+" "+value)
	}
	slices.Sort(lines)
	return lines
}

func pointer(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func parsed(t testing.TB, s string) time.Time {
	at, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		t.Fatal(err)
	}
	return at.UTC()
}

func add(counts map[string]int, name string, n int) { counts[name] += n }

func expect(t testing.TB, w world) model {
	m := model{}
	counts := map[string]map[string]int{}
	for _, name := range []string{"follower", "following", "twit", "publicTwit", "album", "publicAlbum", "userRole", "roleUser", "child", "departmentRole", "player", "game"} {
		counts[name] = map[string]int{}
	}
	for _, r := range w["users"][1:] {
		u := &tables.User{Username: r[0], Name: &r[1], Email: pointer(r[2]), AvatarURL: pointer(r[4])}
		if r[3] != "" {
			age, _ := strconv.Atoi(r[3])
			u.Age = &age
		}
		if r[5] != "" {
			at := parsed(t, r[5])
			u.CreatedAt = &at
		}
		m.put(tables.Users.Put(r[0], u, 1))
	}
	levels, deepest := map[string]int{}, 0 // parents come first
	for _, r := range w["departments"][1:] {
		levels[r[0]] = levels[r[2]] + 1
		deepest = max(deepest, levels[r[0]])
		m.put(tables.Departments.Put(r[0], &tables.Department{Name: &r[1], ParentCode: pointer(r[2])}, 1))
		inList(m, tables.Children, r[2], tables.Child{Name: r[1], Code: r[0]}, 1)
		add(counts["child"], r[2], 1)
	}
	m.put(tables.Tree.Put(tables.Tree.DepthCell(deepest, 1)))
	for _, r := range w["roles"][1:] {
		m.put(tables.Roles.Put(r[0], &tables.Role{Name: &r[1], DepartmentCode: pointer(r[2])}, 1))
		if r[2] != "" {
			inList(m, tables.DepartmentRoles, r[2], r[0], 1)
			add(counts["departmentRole"], r[2], 1)
		}
	}
	for _, r := range w["games"][1:] {
		m.put(tables.Games.Put(r[0], &tables.Game{Name: &r[1]}, 1))
	}
	for _, r := range w["user_roles"][1:] {
		m.put(tables.Assignments.Put(r[0], r[1], true, tables.Unknown, 1))
		inList(m, tables.UserRoles, r[0], r[1], 1)
		inList(m, tables.RoleUsers, r[1], r[0], 1)
		add(counts["userRole"], r[0], 1)
		add(counts["roleUser"], r[1], 1)
	}
	followers := map[string][]tables.Follow{}
	for _, r := range w["follows"][1:] {
		at, timestamp := tables.Unknown, int64(1)
		if r[2] != "" {
			at = parsed(t, r[2])
			timestamp = at.UnixMilli()
		}
		m.put(tables.Follows.Put(r[0], r[1], true, at, timestamp))
		inList(m, tables.Following, r[0], tables.Follow{Username: r[1], At: at}, timestamp)
		inList(m, tables.Followers, r[1], tables.Follow{Username: r[0], At: at}, timestamp)
		add(counts["following"], r[0], 1)
		add(counts["follower"], r[1], 1)
		followers[r[1]] = append(followers[r[1]], tables.Follow{Username: r[0], At: at})
	}
	keys := map[string]tables.TwitKey{}
	for _, r := range w["twits"][1:] {
		twit := &tables.Twit{Name: r[0], AuthorName: r[1], PostedAt: parsed(t, r[2]), Content: r[3], PhotoURLs: strings.Fields(r[4]),
			Title: pointer(r[5]), Visibility: tables.Public}
		if r[6] == "FOLLOWERS" {
			twit.Visibility = tables.FollowersOnly
		}
		public := map[string]int{"FOLLOWERS": 0}
		public["PUBLIC"] = 1
		timestamp := twit.PostedAt.UnixMilli()
		inList(m, tables.Twits, r[1], twit, timestamp)
		add(counts["twit"], r[1], 1)
		add(counts["publicTwit"], r[1], public[twit.Visibility.String()])
		if r[4] != "" || r[6] == "FOLLOWERS" {
			inList(m, tables.Albums, r[1], twit, timestamp)
			add(counts["album"], r[1], 1)
			add(counts["publicAlbum"], r[1], public[twit.Visibility.String()])
		}
		for _, f := range followers[r[1]] {
			inList(m, tables.Timelines, f.Username, twit.Key(), max(1, f.At.UnixMilli()))
		}
		m.put(tables.TwitNames.Put(twit, timestamp))
		keys[r[0]] = twit.Key()
	}
	equal, comments := map[string]int{}, map[string]int{}
	for _, r := range w["comments"][1:] {
		ordinal := equal[strings.Join(r, "\x00")]
		equal[strings.Join(r, "\x00")]++
		key, at := keys[r[0]], parsed(t, r[2])
		comment := &tables.Comment{Twit: key, AuthorName: r[1], PostedAt: at, Content: r[3], Mark: tables.CommentMark(r[1], r[3], ordinal)}
		inList(m, tables.Comments, key.String(), comment, at.UnixMilli())
		inList(m, tables.UserComments, r[1], comment.Key(), at.UnixMilli())
		add(comments, key.String(), 1)
	}
	sums, days := map[string]tables.UserGame{}, map[string]int{}
	for _, r := range w["plays"][1:] {
		n, _ := strconv.Atoi(r[3])
		m.put(tables.Plays.Put(r[0], r[1], tables.DayCount{Day: r[2], Count: n}, 1))
		inList(m, tables.Players, r[1], r[0], 1)
		id := r[0] + " " + r[1]
		if sums[id].Count == 0 {
			add(counts["player"], r[1], 1)
			add(counts["game"], r[0], 1)
		}
		sums[id] = tables.UserGame{Code: r[1], Count: sums[id].Count + n, Day: max(sums[id].Day, r[2])}
		inList(m, tables.UserGames, r[0], sums[id], 1)
		days[r[1]+" "+r[2]] += n
		m.put(hbase.Put{Table: tables.Games.Table, Row: tables.RowKey(r[1]), Cells: []hbase.Cell{
			tables.GameDays.Cell(tables.DayCount{Day: r[2], Count: days[r[1]+" "+r[2]]}, 1)}})
	}
	count := func(table, owner, column string, n int) {
		m.put(hbase.Put{Table: table, Row: tables.RowKey(owner), Cells: []hbase.Cell{
			{Family: "i", Qualifier: column, Timestamp: 1, Value: []byte(strconv.Itoa(n))}}})
	}
	for _, c := range []struct{ name, table, column string }{
		{"follower", "users", "followerCount"}, {"following", "users", "followingCount"},
		{"twit", "users", "twitCount"}, {"publicTwit", "users", "publicTwitCount"},
		{"album", "users", "albumCount"}, {"publicAlbum", "users", "publicAlbumCount"},
		{"userRole", "users", "roleCount"}, {"roleUser", "roles", "userCount"}, {"game", "users", "gameCount"},
		{"player", "games", "playerCount"}, {"child", "departments", "childCount"}, {"departmentRole", "departments", "roleCount"},
	} {
		for owner, n := range counts[c.name] {
			count(c.table, owner, c.column, n)
		}
	}
	for owner, n := range comments {
		count("comments", owner, "commentCount", n)
	}
	return m
}
