package invariant

import (
	"context"
	"fmt"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/settle"
)

// edge is a kind of edge, with the lists that follow from it.
type edge[F, B any] struct {
	*tables.Relation
	// verb says what the first does to the second, as in "follows", noun what the second is.
	verb, noun string
	second     func(ctx context.Context, r *run, keys []string) (map[string]bool, error)
	// forth is the list of the first with the second in it, back the list of the second.
	forth  *tables.List[F]
	back   *tables.List[B]
	member func(b string, at time.Time) F
	owner  func(a string, at time.Time) B
	// ends are a member's.
	toForth func(F) (b string, at time.Time)
	toBack  func(B) (a string, at time.Time)
	// dated is whether members say since when.
	dated bool
}

var follows = edge[tables.Follow, tables.Follow]{
	Relation: tables.Follows, verb: "follows", noun: "user", forth: tables.Following, back: tables.Followers, dated: true,
	second: func(ctx context.Context, r *run, keys []string) (map[string]bool, error) {
		return which(ctx, r, tables.Users, keys)
	},
	member: followOf, owner: followOf, toForth: ofFollow, toBack: ofFollow,
}

func followOf(name string, at time.Time) tables.Follow     { return tables.Follow{Username: name, At: at} }
func ofFollow(f tables.Follow) (name string, at time.Time) { return f.Username, f.At }

var assignments = edge[string, string]{
	Relation: tables.Assignments, verb: "has the role", noun: "role", forth: tables.UserRoles, back: tables.RoleUsers,
	second: func(ctx context.Context, r *run, keys []string) (map[string]bool, error) {
		return which(ctx, r, tables.Roles, keys)
	},
	member: nameOf, owner: nameOf, toForth: ofName, toBack: ofName,
}

func nameOf(name string, _ time.Time) string { return name }
func ofName(name string) (string, time.Time) { return name, time.Time{} }

func (r *run) edges(ctx context.Context) error {
	if err := follows.prove(ctx, r); err != nil {
		return err
	}
	return assignments.prove(ctx, r)
}

// prove shows that both ends of each edge exist, and that both lists have it.
func (e edge[F, B]) prove(ctx context.Context, r *run) error {
	return r.rows(ctx, hbase.Scan{Table: e.Table, Columns: tables.Attributes}, func(rows []hbase.Row) error {
		type related struct {
			row, a, b string
			at        time.Time
			timestamp int64
		}
		var all []related
		var as, bs []string
		for _, row := range rows {
			a, b, err := e.Ends(row.Key)
			if err != nil {
				r.corrupt(e.Table, row.Key, "state", err)
				continue
			}
			is, at, err := e.Decode(row.Cells)
			if err != nil {
				r.corrupt(e.Table, row.Key, "state", err)
			}
			if is {
				all = append(all, related{row.Key, a, b, at, settle.Youngest(row.Cells)})
				as, bs = append(as, a), append(bs, b)
			}
		}
		users, err := which(ctx, r, tables.Users, as)
		if err != nil {
			return err
		}
		others, err := e.second(ctx, r, bs)
		if err != nil {
			return err
		}
		var seats []seat
		var of []related
		for _, x := range all {
			why := fmt.Sprintf("there is no user %q", x.a)
			if users[x.a] {
				why = fmt.Sprintf("there is no %s %q", e.noun, x.b)
			}
			if !users[x.a] || !others[x.b] {
				r.breach(breachOf(e.Table, x.row, tables.Attributes, "state", "1", "0", "%s", why), e.Put(x.a, x.b, false, x.at, x.timestamp+1))
				continue
			}
			seats = append(seats, seatOf(e.forth, x.a, e.member(x.b, x.at), x.timestamp), seatOf(e.back, x.b, e.owner(x.a, x.at), x.timestamp))
			of = append(of, x)
		}
		if err := r.find(ctx, seats); err != nil {
			return err
		}
		for i, s := range seats {
			if x := of[i/2]; s.found == nil {
				r.missing(s, false, "%s %s %s%s", x.a, e.verb, x.b, e.since(x.at))
			}
		}
		return nil
	})
}

func (e edge[F, B]) since(at time.Time) string {
	if !e.dated || at.Equal(tables.Unknown) {
		return ""
	}
	return " since " + at.Format(time.RFC3339Nano)
}

// explainForth and explainBack say why members should not be where they are.
func (e edge[F, B]) explainForth(ctx context.Context, r *run, owner string, members []F) ([]string, error) {
	return e.explain(ctx, r, len(members), func(i int) (a, b string, at time.Time) {
		b, at = e.toForth(members[i])
		return owner, b, at
	})
}

func (e edge[F, B]) explainBack(ctx context.Context, r *run, owner string, members []B) ([]string, error) {
	return e.explain(ctx, r, len(members), func(i int) (a, b string, at time.Time) {
		a, at = e.toBack(members[i])
		return a, owner, at
	})
}

func (e edge[F, B]) explain(ctx context.Context, r *run, n int, ends func(i int) (a, b string, at time.Time)) ([]string, error) {
	gets, why := make([]hbase.Get, n), make([]string, n)
	for i := range gets {
		a, b, _ := ends(i)
		gets[i] = e.Get(a, b)
	}
	cells, err := settle.Read(ctx, r.Store, gets)
	if err != nil {
		return nil, err
	}
	for i := range gets {
		a, b, at := ends(i)
		is, since, err := e.Decode(cells[i])
		switch {
		case err != nil: // reported with the edge
		case !is:
			why[i] = fmt.Sprintf("%s says that %s %s %s no longer, or never did", e.Table, a, e.verb, b)
		case e.dated && !since.Equal(at):
			why[i] = fmt.Sprintf("%s %s %s%s", a, e.verb, b, e.since(since))
		}
	}
	return why, nil
}
