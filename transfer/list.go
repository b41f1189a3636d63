package transfer

import (
	"context"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/settle"
)

// list writes the lists of one kind, each member into the bucket that covers it, and notes whose lists it touched.
type list[E any] struct {
	kind        settle.Kind[E]
	directories *lookup[[]tables.Bucket]
	touched     owners
}

// lists are the kinds of lists that rows bring members to.
type lists struct {
	followers, following *list[tables.Follow]
	twitLists, albums    *list[*tables.Twit]
	comments             *list[*tables.Comment]
	userRoles, roleUsers *list[string]
	userGames            *list[tables.UserGame]
	players              *list[string]
}

func newLists(store hbase.Store) lists {
	return lists{
		followers: newList(store, settle.Followers), following: newList(store, settle.Following),
		twitLists: newList(store, settle.Twits), albums: newList(store, settle.Albums),
		comments:  newList(store, settle.Comments),
		userRoles: newList(store, settle.UserRoles), roleUsers: newList(store, settle.RoleUsers),
		userGames: newList(store, settle.UserGames), players: newList(store, settle.Players),
	}
}

func newList[E any](store hbase.Store, kind settle.Kind[E]) *list[E] {
	return &list[E]{kind: kind, directories: newLookup(store,
		func(owner string) hbase.Get { return settle.DirectoryGet(kind.List, owner) },
		func(owner string, cells []hbase.Cell) ([]tables.Bucket, bool, error) {
			_, _, directory, err := kind.Decode(owner, cells)
			return directory, len(directory) > 0, err
		})}
}

// touch must be called before put and remove with all their owners: it looks up their buckets. Their lists are settled in the end.
func (l *list[E]) touch(ctx context.Context, owners []string) error {
	l.touched.add(owners...)
	return l.directories.find(ctx, owners)
}

func (l *list[E]) row(owner, position string) string {
	directory, _ := l.directories.of(owner)
	return l.kind.Row(owner, tables.BucketOf(directory, position))
}

func (l *list[E]) put(w *writes, owner string, member E, timestamp int64) {
	cell := l.kind.Cell(member, timestamp)
	w.cell(l.kind.Table, l.row(owner, cell.Qualifier), cell)
}

// remove takes a member away that was put at the timestamp or before.
func (l *list[E]) remove(w *writes, owner string, member E, timestamp int64) {
	position := l.kind.Position(member)
	w.remove(l.kind.Table, l.row(owner, position), l.kind.Family, position, timestamp)
}

func (l *list[E]) settle(ctx context.Context, s *settle.Settler) error {
	return l.kind.Lists(ctx, s, l.touched.sorted())
}
