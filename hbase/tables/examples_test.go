package tables_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
)

var (
	noon = time.Date(2015, 2, 17, 12, 0, 0, 0, time.UTC)

	words  = &tables.Twit{AuthorName: "LiLei", PostedAt: noon, Name: "1", Content: "hello", Visibility: tables.Public}
	moment = &tables.Twit{
		AuthorName: "小红", PostedAt: noon.Add(42 * time.Millisecond), Name: "a/b:7",
		Title: ptr("海"), Content: "at the sea\n🌊",
		PhotoURLs: []string{"https://example.org/1.jpg", "https://example.org/2.jpg"}, Visibility: tables.FollowersOnly,
	}
	remark = &tables.Comment{
		Twit: moment.Key(), AuthorName: "LiLei", PostedAt: noon.Add(time.Minute), Content: "很好",
		Mark: tables.CommentMark("LiLei", "很好", 0),
	}

	batch = tables.Batch{
		Followers: []tables.Follow{{Username: "LiLei", At: noon}, {Username: "小红", At: tables.UnknownTime}},
		Twits:     []tables.TwitKey{moment.Key()},
	}
	job = tables.Job{
		ID: tables.NewOp(noon, 7), Kind: tables.Posted, At: noon.UnixMilli(),
		Author: "小红", Position: moment.Key().Position,
	}

	// longest is a username of characters of four bytes.
	longest        = strings.Repeat("𐐀", tables.MaxUsername)
	extreme        = &tables.Twit{AuthorName: longest, PostedAt: noon, Name: strings.Repeat("z", tables.MaxTwitID)}
	extremeComment = &tables.Comment{
		Twit: extreme.Key(), AuthorName: longest, PostedAt: noon, Mark: tables.CommentMark(longest, "", 0),
	}
)

func remarkKey() tables.CommentKey { return remark.Key() }

func ptr[T any](v T) *T { return &v }

type wide struct {
	name      string
	kind      *tables.AnyList
	owner     string
	cell      hbase.Cell // example
	row       func(owner string, bucket uint32) string
	get       func(owner string, bucket uint32, page hbase.Page) hbase.Get
	directory func(owner, position string, n int) hbase.Get
	bucket    func(tables.Bucket) hbase.Cell
	check     func(position string) error
	length    func(owner string) hbase.Get // nil without a count
	rewrite   func(owner string, cell hbase.Cell) (hbase.Cell, error)
}

func listOf[E any](name string, l *tables.List[E], owner string, e E) wide {
	w := wide{
		name: name, kind: &l.AnyList, owner: owner, cell: l.Cell(e, 0),
		row: l.Row, get: l.Get, directory: l.Directory, check: l.Check,
		bucket: func(b tables.Bucket) hbase.Cell { return l.BucketCell(b, 0) },
		rewrite: func(owner string, cell hbase.Cell) (hbase.Cell, error) {
			cells := []hbase.Cell{cell}
			if tables.Moved(cell) {
				return cell, nil
			}
			if cell.Qualifier >= tables.MembersEnd {
				buckets, err := l.DecodeDirectory(owner, cells)
				if err != nil || len(buckets) == 0 {
					return cell, err
				}
				return l.BucketCell(buckets[0], 0), nil
			}
			members, _, err := l.Decode(owner, cells)
			if err != nil {
				return hbase.Cell{}, err
			}
			return l.Cell(members[0], 0), nil
		},
	}
	if l.Count != "" {
		w.length = l.Length
	}
	return w
}

var lists = []wide{
	listOf("Followers", tables.Followers, "LiLei", tables.Follow{Username: "Lucy", At: noon}),
	listOf("Following", tables.Following, "LiLei", tables.Follow{Username: "小红", At: tables.UnknownTime}),
	listOf("Twits", tables.Twits, "小红", moment),
	listOf("Albums", tables.Albums, "小红", moment),
	listOf("Timelines", tables.Timelines, "LiLei", moment.Key()),
	listOf("Comments", tables.Comments, moment.Key().String(), remark),
	listOf("UserComments", tables.UserComments, "LiLei", remarkKey()),
	listOf("UserRoles", tables.UserRoles, "LiLei", "team/sig-apps:lead"),
	listOf("RoleUsers", tables.RoleUsers, "team/sig-apps:lead", "LiLei"),
	listOf("Children", tables.Children, "ceo", tables.Child{Name: "开发部", Code: "dev"}),
	listOf("Children of the root", tables.Children, tables.Root, tables.Child{Name: "CEO", Code: "ceo"}),
	listOf("DepartmentRoles", tables.DepartmentRoles, "dev", "lead"),
	listOf("UserGames", tables.UserGames, "LiLei", tables.UserGame{Code: "go", Count: 12, Day: "2014-12-25"}),
	listOf("Players", tables.Players, "go", "LiLei"),
	listOf("LikedTwits", tables.LikedTwits, "LiLei", tables.LikedTwit{Twit: moment.Key(), At: noon}),
	listOf("TwitLikes", tables.TwitLikes, moment.Key().String(), tables.Follow{Username: "LiLei", At: noon}),
	listOf("TwitDeletions", tables.TwitDeletions, "小红",
		&tables.TwitDeletion{At: noon, Twit: moment.Key(), Visibility: tables.FollowersOnly}),
	listOf("FollowerChanges", tables.FollowerChanges, "LiLei",
		&tables.FollowerChange{At: noon, Followed: "LiLei", Follower: "Lucy", Added: true}),
}

// counterparts are keys of objects that LiLei has a relation with, by kind.
var counterparts = map[*tables.AnyObject]string{
	&tables.Users.AnyObject: "小红",
	&tables.Roles.AnyObject: "lead",
	tables.PostedTwits:      moment.Key().String(),
}

func TestEveryListAndRelationHasAnExample(t *testing.T) {
	for _, l := range tables.Lists() {
		if !slices.ContainsFunc(lists, func(w wide) bool { return w.kind == l }) {
			t.Errorf("list %s has no example", l)
		}
	}
	for _, r := range tables.Relations() {
		if r.From.Object() != &tables.Users.AnyObject || counterparts[r.To.Object()] == "" {
			t.Errorf("relation %s has no example", r.Name)
		}
	}
}
