package writers

import (
	"context"
	"math/rand/v2"
	"strings"

	"twibase/hbase"
	"twibase/hbase/tables"
)

type vanishArgs struct{ Username string }

// vanish is a deletion as far as the core goes: it says that a user is gone, and then ends all follows and deletes all posts.
var vanish = register(kind[vanishArgs]{
	name: "vanish",
	row:  func(a vanishArgs) hbase.Get { return tables.Users.Get(a.Username, tables.Existence) },
	decide: func(a *vanishArgs, r *reading) ([]hbase.Cell, error) {
		if err := existing(tables.Users, a.Username, r.row, "username"); err != nil {
			return nil, err
		}
		return []hbase.Cell{{Family: tables.Attributes, Qualifier: "name", Value: []byte(tables.Gone)}}, nil
	},
	plan: func(a vanishArgs, o op) plan {
		return plan{later: []stage{{
			eachMember(tables.Followers, a.Username, func(f tables.Follow) step {
				return demand{"unfollow", &followArgs{Follower: f.Username, Followed: a.Username}}
			}),
			eachRow(tables.Follows.Of(a.Username), func(row hbase.Row) (step, bool, error) {
				_, followed, err := tables.Follows.Ends(row.Key)
				if err != nil {
					return nil, false, err
				}
				related, _, err := tables.Follows.Decode(row.Cells)
				return demand{"unfollow", &followArgs{Follower: a.Username, Followed: followed}}, related, err
			}),
			deleteTwits(a.Username),
			deleteComments(a.Username),
		}}}
	},
})

func init() {
	modelled = append(modelled, modelNoun{
		name: "vanish",
		call: func(r *rand.Rand) call {
			if r.IntN(3) > 0 {
				return callFollow(r)
			}
			name := people[r.IntN(len(people))]
			return call{"vanish " + name, func(ctx context.Context, w *Writers) error {
				_, err := do(ctx, w, vanish, &vanishArgs{name})
				return err
			}, func(w world) Code {
				if w["user "+name] == "" {
					return NotFound
				}
				delete(w, "user "+name)
				vanishPosts(w, name)
				for fact := range w {
					if fields := strings.Fields(fact); fields[0] == "follow" && (fields[1] == name || fields[2] == name) {
						delete(w, fact)
					}
				}
				return ""
			}}
		},
		observe: func(context.Context, hbase.Store, world) error { return nil },
	})
}
