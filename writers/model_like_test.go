package writers

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
)

func init() {
	modelled = append(modelled, modelNoun{name: "like", begin: beginLikes, call: callLike, observe: observeLikes})
}

func beginLikes(_ hbase.Store, f facts) []hbase.Mutation {
	by, author, key := "c", "a", "1"
	twit := (&tables.Twit{AuthorName: author, PostedAt: millis(1000), Name: tables.KeyedName(author, key)}).Key()
	at, row := millis(3000), twit.String()
	f[likeFact(by, twitFact(author, key))] = "1"
	return []hbase.Mutation{
		tables.Likes.Put(by, row, true, at, 1),
		memberPut(tables.LikedTwits, by, tables.LikedTwit{Twit: twit, At: at}),
		memberPut(tables.TwitLikes, row, tables.Follow{Username: by, At: at}),
		hbase.Put{Table: tables.PostedTwits.Table, Row: tables.RowKey(row), Cells: []hbase.Cell{
			{Family: tables.Attributes, Qualifier: tables.TwitLikes.Count, Timestamp: 1, Value: []byte("1")}}},
	}
}

func likeFact(by, twit string) string { return "like of " + twit + " by " + by }

func callLike(r *rand.Rand) call {
	by, author, key := userNames[r.IntN(len(userNames))], userNames[r.IntN(2)], twitKeys[r.IntN(8)/7]
	switch r.IntN(20) {
	case 0, 1, 2:
		return callTwit(r)
	case 3:
		by = missingUser
	}
	twit := twitFact(author, key)
	fact := likeFact(by, twit)
	type operation = func(*Writers, context.Context, *tables.Relation, string, string) error
	relate := func(do operation) func(context.Context, *Writers) error {
		return func(ctx context.Context, w *Writers) error {
			t, err := findTwit(ctx, w.store, author, key)
			if err != nil {
				return err
			}
			place := ""
			if t != nil {
				place = t.Key().String()
			}
			return do(w, ctx, tables.Likes, by, place)
		}
	}
	if r.IntN(2) == 0 {
		return call{"un" + fact, func(ctx context.Context, w *Writers) error {
			err := relate((*Writers).Unrelate)(ctx, w)
			if outcome(err) == NotFound { // the twit was never posted, so it has no key
				return nil
			}
			return err
		}, func(f facts) Code {
			delete(f, fact)
			return ""
		}}
	}
	return call{fact, relate((*Writers).Relate), func(f facts) Code {
		if f["user "+by] == "" || f[twit] == "" {
			return NotFound
		}
		f[fact] = "1"
		return ""
	}}
}

func observeLikes(ctx context.Context, store hbase.Store, f facts) error {
	names := map[string]string{}
	for _, author := range userNames {
		for _, key := range twitKeys {
			t, err := findTwit(ctx, store, author, key)
			if err != nil {
				return err
			}
			if t != nil {
				names[t.Key().String()] = twitFact(author, key)
			}
		}
	}
	byUser, byTwit := map[string][]string{}, map[string][]string{}
	for row, err := range store.Scan(ctx, tables.Likes.Edges()) {
		if err != nil {
			return err
		}
		by, twit, err := tables.Likes.Ends(row.Key)
		if err != nil {
			return err
		}
		related, _, err := tables.Likes.Decode(row.Cells)
		if err != nil {
			return err
		}
		if related {
			f[likeFact(by, names[twit])] = "1"
			byUser[by], byTwit[twit] = append(byUser[by], twit), append(byTwit[twit], by)
		}
	}
	var wrong []error
	compare := func(owner string, got, want []string) {
		slices.Sort(got)
		if slices.Sort(want); !slices.Equal(got, want) {
			wrong = append(wrong, fmt.Errorf("the list of %q has %q, want %q", owner, got, want))
		}
	}
	for _, by := range append(userNames, missingUser) {
		liked, err := membersOf(ctx, store, tables.LikedTwits, by)
		if err != nil {
			return err
		}
		var got []string
		for _, l := range liked {
			got = append(got, l.Twit.String())
		}
		compare(by, got, byUser[by])
	}
	for twit := range names {
		likes, err := membersOf(ctx, store, tables.TwitLikes, twit)
		if err != nil {
			return err
		}
		var got []string
		for _, f := range likes {
			got = append(got, f.Username)
		}
		compare(twit, got, byTwit[twit])
		cells, err := cellsOf(ctx, store, tables.TwitLikes.Length(twit))
		if err != nil {
			return err
		}
		if n, err := tables.DecodeCount(cells); n != len(likes) || err != nil {
			wrong = append(wrong, fmt.Errorf("%s has %d likes, but counts %d: %v", names[twit], len(likes), n, err))
		}
	}
	return errors.Join(wrong...)
}
