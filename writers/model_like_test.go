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

// beginLikes has a like of the twit that beginTwits has.
func beginLikes(_ hbase.Store, w world) []hbase.Mutation {
	by, author, key := "c", "a", "1"
	twit := (&tables.Twit{AuthorName: author, PostedAt: millis(1000), Name: tables.KeyedName(author, key)}).Key()
	at, row := millis(3000), twit.String()
	w[likeFact(by, twitFact(author, key))] = "1"
	return []hbase.Mutation{
		tables.Likes.Put(by, row, true, at, 1),
		lists(tables.LikedTwits, by, tables.LikedTwit{Twit: twit, At: at}),
		lists(tables.TwitLikes, row, tables.Follow{Username: by, At: at}),
		hbase.Put{Table: tables.PostedTwits.Table, Row: tables.RowKey(row), Cells: []hbase.Cell{
			{Family: tables.Attributes, Qualifier: tables.TwitLikes.Count, Timestamp: 1, Value: []byte("1")}}},
	}
}

func likeFact(by, twit string) string { return "like of " + twit + " by " + by }

// callLike likes or unlikes one of the twits of the histories, or changes one of them.
func callLike(r *rand.Rand) call {
	by, author, key := people[r.IntN(len(people))], people[r.IntN(2)], twitKeys[r.IntN(8)/7]
	switch r.IntN(20) {
	case 0, 1, 2:
		return callTwit(r)
	case 3:
		by = nobody
	}
	twit := twitFact(author, key)
	fact := likeFact(by, twit)
	relate := func(do func(*Writers, context.Context, *tables.Relation, string, string) error) func(context.Context, *Writers) error {
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
			if errorCode(err) == NotFound { // there is no key of a twit that was not posted
				return nil
			}
			return err
		}, func(w world) Code {
			delete(w, fact)
			return ""
		}}
	}
	return call{fact, relate((*Writers).Relate), func(w world) Code {
		if w["user "+by] == "" || w[twit] == "" {
			return NotFound
		}
		w[fact] = "1"
		return ""
	}}
}

// errorCode returns the code of the first user error.
func errorCode(err error) Code {
	var problems UserErrors
	if errors.As(err, &problems) {
		return problems[0].Code
	}
	return ""
}

// observeLikes reads the likes from the edges, and reports lists and counts that differ from them.
func observeLikes(ctx context.Context, store hbase.Store, w world) error {
	names := map[string]string{} // of twits, by their keys
	for _, author := range people {
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
			w[likeFact(by, names[twit])] = "1"
			byUser[by], byTwit[twit] = append(byUser[by], twit), append(byTwit[twit], by)
		}
	}
	var wrong []error
	compare := func(owner string, got, want []string) {
		slices.Sort(got)
		if slices.Sort(want); !slices.Equal(got, want) {
			wrong = append(wrong, fmt.Errorf("the list of %q has %q, and should have %q", owner, got, want))
		}
	}
	for _, by := range append(people, nobody) {
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
			wrong = append(wrong, fmt.Errorf("%s has %d likes, and %d are counted: %v", names[twit], len(likes), n, err))
		}
	}
	return errors.Join(wrong...)
}
