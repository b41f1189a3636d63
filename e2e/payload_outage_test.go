package e2e

import (
	"strings"
	"sync/atomic"
	"testing"

	"twibase/e2e/oracle"
	"twibase/hbase"
	"twibase/hbase/hbasetest"
	"twibase/transfer"
)

func TestOutageAfterAWriteSaysThatTheMutationMayBeExecuted(t *testing.T) {
	alice, root := oracle.Viewer{Username: "alice"}, oracle.Viewer{Username: "root", Admin: true}
	for _, test := range []struct{ name, mutation, path string }{
		{"the posted twit", `postTwit(input:{content:"x"}){twit{content}}`, `["postTwit"]`},
		{"the added comment", `addComment(input:{twitId:"%s",content:"x"}){comment{content}}`, `["addComment"]`},
		{"a field of the payload", `updateUser(input:{username:"alice",name:"A"}){user{name}}`, `["updateUser","user"]`},
	} {
		t.Run(test.name, func(t *testing.T) {
			store := inMemory(t)
			if _, err := transfer.EnsureTables(t.Context(), store, 1); err != nil {
				t.Fatal(err)
			}
			before := newGateway("before", store)
			before.ask(t, `mutation{createUser(input:{username:"alice",name:"Alice"}){userErrors{message}}}`, nil, root)
			posted := string(before.ask(t, `mutation{postTwit(input:{content:"hello"}){twit{id}}}`, nil, alice))
			before.root.Writers.Close(t.Context())
			_, id, _ := strings.Cut(posted, `"id":"`)
			id, _, _ = strings.Cut(id, `"`)

			var written atomic.Bool
			noted := hbasetest.NewFaults(store, func(op hbasetest.Op) (none hbasetest.Fault) {
				if op.Writes() {
					written.Store(true)
				}
				return none
			})
			failing := hbasetest.NewFaults(store,
				hbasetest.When(func(hbasetest.Op) bool { return written.Load() }, hbasetest.Fault{Err: hbase.ErrUnavailable}))
			mutation := "mutation{" + strings.ReplaceAll(test.mutation, "%s", id) + "}"
			got := string(gatewayOver("after", noted, failing).ask(t, mutation, nil, alice))
			for _, part := range []string{"the mutation may have been executed", `"path":` + test.path, `"UNAVAILABLE"`} {
				if !strings.Contains(got, part) {
					t.Errorf("%s, want %s", got, part)
				}
			}
		})
	}
}
