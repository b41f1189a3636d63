package settle

import (
	"context"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// Kind is a kind of list that has a length. The lengths of all its members, and of those that everybody may see where that
// differs, are attributes of the object that owns it.
type Kind[E any] struct {
	*tables.List[E]
	public   string
	isPublic func(E) bool
}

// The kinds of lists that have a length.
var (
	Followers       = Kind[tables.Follow]{List: tables.Followers}
	Following       = Kind[tables.Follow]{List: tables.Following}
	Twits           = Kind[*tables.Twit]{tables.Twits, "publicTwitCount", isPublic}
	Albums          = Kind[*tables.Twit]{tables.Albums, "publicAlbumCount", isPublic}
	Comments        = Kind[*tables.Comment]{List: tables.Comments}
	UserComments    = Kind[tables.CommentKey]{List: tables.UserComments} // of which nobody counts the members
	UserRoles       = Kind[string]{List: tables.UserRoles}
	RoleUsers       = Kind[string]{List: tables.RoleUsers}
	Children        = Kind[tables.Child]{List: tables.Children}
	DepartmentRoles = Kind[string]{List: tables.DepartmentRoles}
	UserGames       = Kind[tables.UserGame]{List: tables.UserGames}
	Players         = Kind[string]{List: tables.Players}
)

func isPublic(t *tables.Twit) bool { return t.Visibility == tables.Public }

// Lists settles the lists of these owners: each member lies in the bucket that covers it, no bucket is longer than the bound, and
// the lengths are those of the lists.
func (k Kind[E]) Lists(ctx context.Context, s *Settler, owners []string) error {
	return s.groups(ctx, owners, func(ctx context.Context, owners []string) error {
		lengths := make(map[string]Length, len(owners))
		for open := owners; len(open) > 0; {
			looks, err := k.look(ctx, s, open)
			if err != nil {
				return err
			}
			// What was mended is looked at again: its length is counted when nothing moves any more.
			var again []string
			for _, owner := range open {
				if looks[owner].mended {
					again = append(again, owner)
				} else {
					lengths[owner] = looks[owner].length
				}
			}
			open = again
		}
		return k.writeLengths(ctx, s, owners, lengths, false)
	})
}

// look is what one reading of a list found.
type look struct {
	length Length
	mended bool
	// The bucket that is being read: its members so far, and where it could be cut.
	bucket uint32
	held   int
	cuts   []string
	full   []full
}

// full is a bucket beyond its bound.
type full struct {
	bucket uint32
	cuts   []string
}

// look reads the lists of some owners, moves what lies in the wrong bucket, and cuts the buckets that are too long.
func (k Kind[E]) look(ctx context.Context, s *Settler, owners []string) (map[string]*look, error) {
	looks := make(map[string]*look, len(owners))
	for _, owner := range owners {
		looks[owner] = new(look)
	}
	err := Spans(ctx, s.Store, k.List, owners, func(span *Span[E]) error {
		l := looks[span.Owner]
		if l.bucket != span.Bucket {
			l.close(s.ListBound)
			l.bucket = span.Bucket
		}
		public, err := k.publics(span)
		if err != nil {
			return err
		}
		var astray []hbase.Cell
		for i, c := range span.Cells {
			if !span.Covers(i) {
				astray = append(astray, c)
				continue
			}
			l.hold(c.Qualifier, s.ListBound)
			l.length = l.length.Grown(public != nil && public[i])
		}
		l.mended = l.mended || len(astray) > 0
		return k.move(ctx, s, span, astray)
	})
	if err != nil {
		return nil, err
	}
	for _, owner := range owners {
		l := looks[owner]
		l.close(s.ListBound)
		for _, f := range l.full {
			l.mended = true
			if err := k.cut(ctx, s, owner, f); err != nil {
				return nil, err
			}
		}
	}
	return looks, nil
}

// publics reports which members everybody may see; it is nil where that is not counted.
func (k Kind[E]) publics(span *Span[E]) ([]bool, error) {
	if k.isPublic == nil {
		return nil, nil
	}
	members, err := span.Members()
	public := make([]bool, len(members))
	for i, member := range members {
		public[i] = k.isPublic(member)
	}
	return public, err
}

// IsPublic reports whether everybody may see a member, of a kind of which not everybody may see all; otherwise it is false.
func (k Kind[E]) IsPublic(member E) bool { return k.isPublic != nil && k.isPublic(member) }

// hold notes a member of the bucket that is being read. Every half of the bound it could be cut.
func (l *look) hold(position string, bound int) {
	if l.held > 0 && l.held%(bound/2) == 0 {
		l.cuts = append(l.cuts, position)
	}
	l.held++
}

// close ends a bucket.
func (l *look) close(bound int) {
	if l.held > bound {
		// The last part takes what the halves leave over.
		if n := len(l.cuts); n > 1 && l.held-n*(bound/2) < bound/2 {
			l.cuts = l.cuts[:n-1]
		}
		l.full = append(l.full, full{l.bucket, l.cuts})
	}
	l.held, l.cuts = 0, nil
}

// move brings members into the buckets that cover them: first there, then away from here.
func (k Kind[E]) move(ctx context.Context, s *Settler, span *Span[E], astray []hbase.Cell) error {
	if len(astray) == 0 {
		return nil
	}
	var puts []hbase.Mutation
	gone := hbase.Delete{Table: k.Table, Row: k.Row(span.Owner, span.Bucket)}
	for _, c := range astray {
		row := k.Row(span.Owner, tables.BucketOf(span.Directory, c.Qualifier))
		puts = append(puts, hbase.Put{Table: k.Table, Row: row, Cells: []hbase.Cell{c}})
		gone.Columns = append(gone.Columns, gonePart(c))
	}
	if err := Write(ctx, s.Store, puts); err != nil {
		return err
	}
	return Write(ctx, s.Store, []hbase.Mutation{gone})
}

func gonePart(c hbase.Cell) hbase.Deletion {
	return hbase.Deletion{Kind: hbase.AllVersions, Family: c.Family, Qualifier: c.Qualifier, Timestamp: c.Timestamp}
}

// Public is the attribute that counts the members which everybody may see, empty where those are not counted.
func (k Kind[E]) Public() string { return k.public }
