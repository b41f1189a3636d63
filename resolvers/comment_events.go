package resolvers

import (
	"cmp"
	"context"

	"twibase/hbase/tables"
	"twibase/live"
	"twibase/loaders"
	"twibase/resolvers/permission"
)

// readCommentsOfVisible returns no comments on a twit that the viewer may not see.
func readCommentsOfVisible(
	ctx context.Context, pageKeys []loaders.PageKey,
) (pages []candidates[tables.Comment], err error) {
	owners := make([]string, len(pageKeys))
	for i, pageKey := range pageKeys {
		owners[i] = pageKey.Owner
	}
	var twits []*tables.Twit
	var twitErr error
	loaders.Together(ctx, func() {
		twits, twitErr = twitEntries.readByKey(ctx, owners)
	}, func() {
		pages, err = twitComments.source.read(ctx, pageKeys)
	})
	for i := range pages {
		if twitErr != nil || twits[i] == nil {
			pages[i] = candidates[tables.Comment]{}
		}
	}
	return pages, loaders.Join(len(pageKeys), twitErr, err)
}

// visibleAdded checks the twits of comments, and the comments, in one round after the twits are
// read.
func visibleAdded(ctx context.Context, all []live.Candidate) ([]*tables.Comment, error) {
	twitKeys, authors := make([]entryKey, len(all)), make([]string, len(all))
	for i, c := range all {
		twitKeys[i], _ = parseTwitKey(c.Owner) // the subscription has checked it
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
