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
	"twibase/transfer/rebuild"
)

var seedSetting = os.Getenv("TWIBASE_SEED")

// model has values with timestamps, by table, row and column.
type model map[string]string

func (m model) put(puts ...hbase.Put) {
	for _, p := range puts {
		for _, c := range p.Cells {
			column := fmt.Sprintf("%s %q %s:%q", p.Table, p.Row, c.Family, c.Qualifier)
			m[column] = fmt.Sprintf("@%d %q", c.Timestamp, c.Value)
		}
	}
}

func (m model) putMember(l *tables.AnyList, owner string, member hbase.Cell) {
	m.put(hbase.Put{Table: l.Table, Row: l.Row(owner, 0), Cells: []hbase.Cell{member}})
}

func inList[E any](m model, l *tables.List[E], owner string, member E, timestamp int64) {
	m.putMember(&l.AnyList, owner, l.Cell(member, timestamp))
}

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

type lengths map[*tables.AnyList]map[string]rebuild.Length

func (n lengths) add(l *tables.AnyList, owner string, public bool) {
	if n[l] == nil {
		n[l] = map[string]rebuild.Length{}
	}
	length := n[l][owner]
	length.All++
	if public {
		length.Public++
	}
	n[l][owner] = length
}

// expectedCells models row by row, without batches, lookups and rebuilding.
func expectedCells(t testing.TB, d dataset) model {
	m, counts := model{}, lengths{}
	m.put(tables.Users.Search.PutComplete())
	for _, r := range d["users"][1:] {
		u := &tables.User{Username: r[0], Name: &r[1], Email: pointer(r[2]), AvatarURL: pointer(r[4])}
		if r[3] != "" {
			age, _ := strconv.Atoi(r[3])
			u.Age = &age
		}
		if r[5] != "" {
			at := parsed(t, r[5])
			u.CreatedAt = &at
		}
		m.put(tables.Users.Put(r[0], u, 1), tables.Users.Search.Put(r[0], 1))
	}
	levels, deepest := map[string]int{}, 0 // parents come first
	for _, r := range d["departments"][1:] {
		levels[r[0]] = levels[r[2]] + 1
		deepest = max(deepest, levels[r[0]])
		m.put(tables.Departments.Put(r[0], &tables.Department{Name: &r[1], ParentCode: pointer(r[2])}, 1))
		inList(m, tables.Children, r[2], tables.Child{Name: r[1], Code: r[0]}, 1)
		counts.add(&tables.Children.AnyList, r[2], false)
	}
	m.put(tables.Tree.Put(tables.Tree.DepthCell(deepest, 1)))
	for _, r := range d["roles"][1:] {
		m.put(tables.Roles.Put(r[0], &tables.Role{Name: &r[1], DepartmentCode: pointer(r[2])}, 1))
		if r[2] != "" {
			inList(m, tables.DepartmentRoles, r[2], r[0], 1)
			counts.add(&tables.DepartmentRoles.AnyList, r[2], false)
		}
	}
	for _, r := range d["games"][1:] {
		m.put(tables.Games.Put(r[0], &tables.Game{Name: &r[1]}, 1))
	}
	keys := map[string]tables.TwitKey{}
	followers := map[string][]tables.Follow{}
	for _, r := range d["follows"][1:] {
		at, _ := since(t, r[2])
		followers[r[1]] = append(followers[r[1]], tables.Follow{Username: r[0], At: at})
	}
	for _, r := range d["twits"][1:] {
		twit := &tables.Twit{
			Name: r[0], AuthorName: r[1], PostedAt: parsed(t, r[2]), Content: r[3],
			PhotoURLs: strings.Fields(r[4]), Title: pointer(r[5]), Visibility: tables.Public,
		}
		if r[6] == "FOLLOWERS" {
			twit.Visibility = tables.FollowersOnly
		}
		public := twit.Visibility == tables.Public
		timestamp := twit.PostedAt.UnixMilli()
		inList(m, tables.Twits, r[1], twit, timestamp)
		counts.add(&tables.Twits.AnyList, r[1], public)
		if r[4] != "" || r[6] == "FOLLOWERS" {
			inList(m, tables.Albums, r[1], twit, timestamp)
			counts.add(&tables.Albums.AnyList, r[1], public)
		}
		for _, f := range followers[r[1]] {
			inList(m, tables.Timelines, f.Username, twit.Key(), max(1, f.At.UnixMilli()))
		}
		m.put(tables.TwitNames.Put(twit, timestamp))
		keys[r[0]] = twit.Key()
	}
	for _, x := range tables.Relations() {
		keyOf := func(o *tables.AnyObject, name string) string {
			if o == tables.PostedTwits {
				return keys[name].String()
			}
			return name
		}
		for _, r := range d[x.File][1:] {
			a, b := keyOf(x.From.Object(), r[0]), keyOf(x.To.Object(), r[1])
			at, timestamp := since(t, append(r, "")[2])
			m.put(x.Put(a, b, true, at, timestamp))
			m.putMember(x.From.List, a, x.From.Member(b, at, timestamp))
			m.putMember(x.To.List, b, x.To.Member(a, at, timestamp))
			counts.add(x.From.List, a, false)
			counts.add(x.To.List, b, false)
		}
	}
	equal := map[string]int{}
	for _, r := range d["comments"][1:] {
		ordinal := equal[strings.Join(r, "\x00")]
		equal[strings.Join(r, "\x00")]++
		key, at := keys[r[0]], parsed(t, r[2])
		comment := &tables.Comment{
			Twit: key, AuthorName: r[1], PostedAt: at, Content: r[3], Mark: tables.CommentMark(r[1], r[3], ordinal),
		}
		inList(m, tables.Comments, key.String(), comment, at.UnixMilli())
		inList(m, tables.UserComments, r[1], comment.Key(), at.UnixMilli())
		counts.add(&tables.Comments.AnyList, key.String(), false)
	}
	sums, days := map[string]tables.UserGame{}, map[string]int{}
	for _, r := range d["plays"][1:] {
		n, _ := strconv.Atoi(r[3])
		m.put(tables.Plays.Put(r[0], r[1], tables.DayCount{Day: r[2], Count: n}, 1))
		inList(m, tables.Players, r[1], r[0], 1)
		id := r[0] + " " + r[1]
		if sums[id].Count == 0 {
			counts.add(&tables.Players.AnyList, r[1], false)
			counts.add(&tables.UserGames.AnyList, r[0], false)
		}
		sums[id] = tables.UserGame{Code: r[1], Count: sums[id].Count + n, Day: max(sums[id].Day, r[2])}
		inList(m, tables.UserGames, r[0], sums[id], 1)
		days[r[1]+" "+r[2]] += n
		m.put(hbase.Put{Table: tables.Games.Table, Row: tables.RowKey(r[1]), Cells: []hbase.Cell{
			tables.GameDays.Cell(tables.DayCount{Day: r[2], Count: days[r[1]+" "+r[2]]}, 1)}})
	}
	for l, owners := range counts {
		for owner, n := range owners {
			for column, n := range map[string]int{l.Count: n.All, l.PublicCount: n.Public} {
				if column != "" {
					m.put(hbase.Put{Table: l.Owner.Table, Row: tables.RowKey(owner), Cells: []hbase.Cell{
						{Family: "i", Qualifier: column, Timestamp: 1, Value: []byte(strconv.Itoa(n))}}})
				}
			}
		}
	}
	return m
}

func since(t testing.TB, s string) (at time.Time, timestamp int64) {
	if s == "" {
		return tables.UnknownTime, 1
	}
	at = parsed(t, s)
	return at, at.UnixMilli()
}
