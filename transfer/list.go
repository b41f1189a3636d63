package transfer

import (
	"context"
	"sync"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/settle"
)

// list writes the lists of one kind, each member into the bucket that covers it, and notes whose lists it touched.
type list[E any] struct {
	kind        settle.Kind[E]
	directories *lookup[[]tables.Bucket]
	touched     owners

	// blank is whether the store was, when the import began: then no list has a second bucket before it is settled.
	blank bool
	// lengths are those of the lists of a store that was blank, nil if the import can't tell.
	mu      sync.Mutex
	lengths map[string]settle.Length
}

// lists are the kinds of lists that rows bring members to.
type lists struct {
	followers, following *list[tables.Follow]
	twitLists, albums    *list[*tables.Twit]
	comments             *list[*tables.Comment]
	userComments         *list[tables.CommentKey]
	userRoles, roleUsers *list[string]
	userGames            *list[tables.UserGame]
	players              *list[string]
}

func newLists(store hbase.Store) lists {
	return lists{
		followers: newList(store, settle.Followers), following: newList(store, settle.Following),
		twitLists: newList(store, settle.Twits), albums: newList(store, settle.Albums),
		comments: newList(store, settle.Comments), userComments: newList(store, settle.UserComments),
		userRoles: newList(store, settle.UserRoles), roleUsers: newList(store, settle.RoleUsers),
		userGames: newList(store, settle.UserGames), players: newList(store, settle.Players),
	}
}

func newList[E any](store hbase.Store, kind settle.Kind[E]) *list[E] {
	return &list[E]{kind: kind, directories: newLookup(store, kind.List.Directories,
		func(owner string, cells []hbase.Cell) ([]tables.Bucket, bool, error) {
			_, _, directory, err := kind.Decode(owner, cells)
			return directory, len(directory) > 0, err
		})}
}

// begin says whether the store is blank.
func (l *lists) begin(blank bool) {
	if !blank {
		return
	}
	l.followers.begin()
	l.following.begin()
	l.twitLists.begin()
	l.albums.begin()
	l.userRoles.begin()
	l.roleUsers.begin()
	l.userGames.begin()
	l.players.begin()
	// Two files may have the same comment, so that nobody counts them.
	l.comments.blank, l.userComments.blank = true, true
}

func (l *list[E]) begin() {
	l.blank, l.lengths = true, map[string]settle.Length{}
}

// touch must be called before put and remove with all their owners: it looks up their buckets. Their lists are settled in the end.
func (l *list[E]) touch(ctx context.Context, owners []string) error {
	if l.touched.add(owners...); l.blank {
		return nil
	}
	return l.directories.find(ctx, owners)
}

func (l *list[E]) row(owner, position string) string {
	if l.blank {
		return l.kind.Row(owner, 0)
	}
	directory, _ := l.directories.of(owner)
	return l.kind.Row(owner, tables.BucketOf(directory, position))
}

// put writes a member.
func (l *list[E]) put(w *writes, owner string, member E, timestamp int64) {
	cell := l.kind.Cell(member, timestamp)
	w.cell(l.kind.Table, l.row(owner, cell.Qualifier), cell)
}

// remove takes a member away that was put at the timestamp or before.
func (l *list[E]) remove(w *writes, owner string, member E, timestamp int64) {
	position := l.kind.Position(member)
	w.remove(l.kind.Table, l.row(owner, position), l.kind.Family, position, timestamp)
}

// count notes a member that is new to its owner's list.
func (l *list[E]) count(owner string, member E) {
	if l.lengths == nil {
		return
	}
	public := l.kind.IsPublic(member)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lengths[owner] = l.lengths[owner].Grown(public)
}

// settle settles the lists that were touched. Those of which all is known and that need no second bucket are not even read.
func (l *list[E]) settle(ctx context.Context, s *settle.Settler) error {
	var read []string
	known := map[string]settle.Length{}
	for _, owner := range l.touched.sorted() {
		if length := l.lengths[owner]; l.lengths != nil && length.All <= s.ListBound {
			known[owner] = length
		} else {
			read = append(read, owner)
		}
	}
	if err := l.kind.Lengths(ctx, s, known, l.blank); err != nil {
		return err
	}
	return l.kind.Lists(ctx, s, read)
}
