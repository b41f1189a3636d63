package e2e

import (
	"fmt"
	"testing"

	"twibase/hbase/tables"
	"twibase/transfer"
)

// Who was met on one way, with a page that was read already and a length that was not, asks for lists together with rows, as it is planned.
func TestObjectsAreNotPromisedBeforeTheLengthOfTheirListIsThere(t *testing.T) {
	users, follows := "username,name\nhub,Hub\nx,X\n", "follower,followee\nx,hub\n"
	for i := range 20 {
		users, follows = users+fmt.Sprintf("f%d,F\n", i), follows+fmt.Sprintf("f%d,hub\nhub,f%d\n", i, i)
	}
	store := inMemory(t)
	importInto(t, store, folderOf(t, map[string]string{"users": users, "follows": follows}), transfer.Options{})
	r := request{query: `{user(username:"hub"){followers(first:20){nodes{username}}}
		a:user(username:"x"){following(first:1){nodes{followers(first:20){totalCount nodes{name followers(first:1){nodes{username}}}}}}}}`}
	var compared comparison
	if complaint := r.exceed(explaining(store, tables.ListBound), &compared); complaint != "" || compared.all.Load() == 0 {
		t.Error(compared.all.Load(), complaint)
	}
}
