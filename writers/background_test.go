package writers

import (
	"context"
	"fmt"
	"testing"

	"twibase/hbase/tables"
)

// Deletions of authors take all slots. Each waits for the deletion of a twit, which found none.
func TestOperationWithSlotDoesNotWaitForSlots(t *testing.T) {
	ctx := t.Context()
	store := openStore(t)
	defer store.Close()
	w, other := New(store, Options{}), New(store, Options{})
	var twits []*tables.Twit
	for i := range backgroundLimit {
		author := fmt.Sprint("author", i)
		mustMutate(t, store, importedUsers(author)...)
		key, err := other.PostTwit(ctx, author, NewTwit{Content: "Hi", Visibility: tables.Public})
		if err != nil {
			t.Fatal(err)
		}
		when, name, _ := key.Parts()
		twits = append(twits,
			&tables.Twit{AuthorName: author, PostedAt: when, Name: name, Content: "Hi", Visibility: tables.Public})
	}
	awaitIdle(t, other)
	at, release := make(chan bool, backgroundLimit), make(chan bool)
	w.observe = func(ctx context.Context, c client, purpose []string) (context.Context, func()) {
		if c.caller == "deleteTwit" && purpose[0] == "read" && len(c.parents) > 0 {
			at <- true
			<-release
		}
		return ctx, func() {}
	}
	for _, twit := range twits {
		if err := w.DeleteUser(ctx, twit.AuthorName); err != nil {
			t.Fatal(err)
		}
	}
	for range twits {
		<-at
	}
	for _, twit := range twits {
		if err := w.DeleteTwit(ctx, twit); err != nil {
			t.Fatal(err)
		}
	}
	close(release)
	awaitIdle(t, w)
	if n, err := countIntents(ctx, store); n > 0 || err != nil {
		t.Error(n, "intents are left:", err)
	}
}
