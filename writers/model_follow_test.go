package writers

import (
	"context"
	"fmt"
	"math/rand/v2"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// people are the users that there are in every history, fans more of them who follow the first, and nobody the one that there is not.
var (
	people = []string{"a", "b", "c"}
	fans   = []string{"d", "e", "f"}
)

const nobody = "z"

func init() {
	modelled = append(modelled, modelNoun{name: "follow", begin: beginPeople, call: callFollow, observe: observeFollows})
}

func beginPeople(_ hbase.Store, w world) (rows []hbase.Mutation) {
	for _, name := range append(people, fans...) {
		rows = append(rows, user(name))
		w["user "+name] = "1"
	}
	idol, n := people[0], len(fans)
	for i, name := range fans {
		at := millis(int64(i + 1))
		rows = append(rows, tables.Follows.Put(name, idol, true, at, 1),
			lists(tables.Followers, idol, tables.Follow{Username: name, At: at}),
			lists(tables.Following, name, tables.Follow{Username: idol, At: at}),
			tables.Users.Put(name, &tables.User{FollowingCount: pointer(1)}, 1))
		w["follow "+name+" "+idol] = "1"
	}
	return append(rows, tables.Users.Put(idol, &tables.User{FollowerCount: &n}, 1))
}

// lists puts a member into the first bucket of a list, as an import does.
func lists[E any](l *tables.List[E], owner string, e E) hbase.Put {
	return hbase.Put{Table: l.Table, Row: l.Row(owner, 0), Cells: []hbase.Cell{l.Cell(e, 1)}}
}

func pointer[T any](v T) *T { return &v }

func callFollow(r *rand.Rand) call {
	a, b := people[r.IntN(len(people))], people[r.IntN(len(people))]
	switch r.IntN(20) {
	case 0:
		b = nobody
	case 1, 2, 3, 4:
		a, b = fans[r.IntN(len(fans))], people[0]
	}
	edge := fmt.Sprintf("follow %s %s", a, b)
	if r.IntN(3) == 0 {
		return call{"un" + edge, func(ctx context.Context, w *Writers) error { return w.Unrelate(ctx, tables.Follows, a, b) }, func(w world) Code {
			delete(w, edge)
			return ""
		}}
	}
	return call{edge, func(ctx context.Context, w *Writers) error { return w.Relate(ctx, tables.Follows, a, b) }, func(w world) Code {
		switch {
		case a == b:
			return BadInput
		case w["user "+a] == "" || w["user "+b] == "":
			return NotFound
		}
		w[edge] = "1"
		return ""
	}}
}

func observeFollows(ctx context.Context, store hbase.Store, w world) error {
	for row, err := range store.Scan(ctx, hbase.Scan{Table: tables.Users.Table, Columns: tables.Existence}) {
		if err != nil {
			return err
		}
		name, _ := tables.OwnerOf(row.Key)
		if u, err := tables.Users.Decode(name, row.Cells); err != nil {
			return err
		} else if u != nil {
			w["user "+name] = "1"
		}
	}
	for row, err := range store.Scan(ctx, hbase.Scan{Table: tables.Follows.Table, Columns: tables.Attributes}) {
		if err != nil {
			return err
		}
		a, b, err := tables.Follows.Ends(row.Key)
		if err != nil {
			return err
		}
		related, _, err := tables.Follows.Decode(row.Cells)
		if err != nil {
			return err
		}
		if related {
			w[fmt.Sprintf("follow %s %s", a, b)] = "1"
		}
	}
	return nil
}
