package writers

import (
	"context"
	"fmt"
	"math/rand/v2"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// At first followerNames follow userNames[0].
var (
	userNames     = []string{"a", "b", "c"}
	followerNames = []string{"d", "e", "f"}
)

const missingUser = "z"

func init() {
	modelled = append(modelled, modelNoun{name: "follow", begin: beginFollows, call: callFollow, observe: observeFollows})
}

func beginFollows(_ hbase.Store, f facts) (rows []hbase.Mutation) {
	for _, name := range append(userNames, followerNames...) {
		rows = append(rows, importedUsers(name)...)
		f["user "+name] = "1"
	}
	feedAuthor, n := userNames[0], len(followerNames)
	for i, name := range followerNames {
		at := millis(int64(i + 1))
		rows = append(rows, tables.Follows.Put(name, feedAuthor, true, at, 1),
			memberPut(tables.Followers, feedAuthor, tables.Follow{Username: name, At: at}),
			memberPut(tables.Following, name, tables.Follow{Username: feedAuthor, At: at}),
			tables.Users.Put(name, &tables.User{FollowingCount: new(1)}, 1))
		f["follow "+name+" "+feedAuthor] = "1"
	}
	return append(rows, tables.Users.Put(feedAuthor, &tables.User{FollowerCount: &n}, 1))
}

func memberPut[E any](l *tables.List[E], owner string, e E) hbase.Put {
	return hbase.Put{Table: l.Table, Row: l.Row(owner, 0), Cells: []hbase.Cell{l.Cell(e, 1)}}
}

func callFollow(r *rand.Rand) call {
	a, b := userNames[r.IntN(len(userNames))], userNames[r.IntN(len(userNames))]
	switch r.IntN(20) {
	case 0:
		b = missingUser
	case 1, 2, 3, 4:
		a, b = followerNames[r.IntN(len(followerNames))], userNames[0]
	}
	edge := fmt.Sprintf("follow %s %s", a, b)
	if r.IntN(3) == 0 {
		return call{"un" + edge, func(ctx context.Context, w *Writers) error {
			return w.Unrelate(ctx, tables.Follows, a, b)
		}, func(f facts) Code {
			delete(f, edge)
			return ""
		}}
	}
	return call{edge, func(ctx context.Context, w *Writers) error {
		return w.Relate(ctx, tables.Follows, a, b)
	}, func(f facts) Code {
		switch {
		case a == b:
			return BadInput
		case f["user "+a] == "" || f["user "+b] == "":
			return NotFound
		}
		f[edge] = "1"
		return ""
	}}
}

func observeFollows(ctx context.Context, store hbase.Store, f facts) error {
	for row, err := range store.Scan(ctx, hbase.Scan{Table: tables.Users.Table, Columns: tables.Existence}) {
		if err != nil {
			return err
		}
		name, _ := tables.OwnerOf(row.Key)
		if u, err := tables.Users.Decode(name, row.Cells); err != nil {
			return err
		} else if u != nil {
			f["user "+name] = "1"
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
			f[fmt.Sprintf("follow %s %s", a, b)] = "1"
		}
	}
	return nil
}
