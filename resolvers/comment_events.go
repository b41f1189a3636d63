package resolvers

import (
	"cmp"
	"context"

	"twibase/hbase/tables"
	"twibase/live"
	"twibase/loaders"
	"twibase/resolvers/permission"
)

// visibleAdded reads the twits of comments, and then checks the twits and the comments in one
// round.
func visibleAdded(ctx context.Context, all []live.Candidate) ([]*tables.Comment, error) {
	twitKeys, authors := make([]entryKey, len(all)), make([]string, len(all))
	for i, c := range all {
		twitKeys[i], _ = parseTwitKey(c.Owner)
		authors[i] = twitKeys[i].author
	}
	var comments []*tables.Comment
	var twits []*tables.Twit
	var commentErr, twitErr error
	loaders.Together(ctx, func() {
		comments, commentErr = entriesOf(ctx, all, commentEntries, func(k live.Key) entryKey {
			twit, _ := parseTwitKey(k.Owner)
			return entryKey{loaders.MemberKey{Owner: k.Owner, Position: k.Position}, twit.author}
		})
	}, func() { twits, twitErr = twitEntries.read(ctx, twitKeys) })
	for i, comment := range comments {
		if comment != nil {
			authors[i] = comment.AuthorName
		}
	}
	awaitAuthors := loaders.Users.Exists.Enqueue(ctx, authors)
	may, mayErr := allowed(ctx, 2*len(all), func(i int) (string, permission.Verdict) {
		viewer := accessOf(all[i/2].Subscriber)
		if i%2 == 0 {
			return viewer.viewer.Username, viewer.twit(twits[i/2])
		}
		return viewer.viewer.Username, viewer.comment(comments[i/2])
	})
	exist, existErr := awaitAuthors()
	errs, visible := make(loaders.Errors, len(all)), make([]bool, len(all))
	for i, twit := range twits {
		own := accessOf(all[i].Subscriber).viewer.Username == authors[i]
		visible[i] = twit != nil && may[2*i] && may[2*i+1] && (exist[i] || own)
		errs[i] = cmp.Or(loaders.At(mayErr, 2*i), loaders.At(mayErr, 2*i+1))
	}
	hide(comments, visible)
	return comments, loaders.Join(len(all), commentErr, twitErr, existErr, errs)
}
