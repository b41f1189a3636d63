package e2e

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"twibase/e2e/oracle"
	"twibase/hbase"
	"twibase/hbase/hbasetest"
	"twibase/hbase/tables"
	"twibase/transfer"
)

// The store does not answer reads of a table after a write to it.
func TestOutageAfterAWriteSaysThatTheMutationMayBeExecuted(t *testing.T) {
	var table atomic.Pointer[string] // that of the outage, or nil
	var written atomic.Bool
	store := hbasetest.NewFaults(inMemory(t), func(op hbasetest.Op) (f hbasetest.Fault) {
		switch name := table.Load(); {
		case name == nil || op.Table != *name:
		case op.Writes():
			written.Store(true)
		case written.Load():
			f.Err = hbase.ErrUnavailable
		}
		return f
	})
	if _, err := transfer.EnsureTables(t.Context(), store, 1); err != nil {
		t.Fatal(err)
	}
	g := newGateway("embedded", store)
	alice, root := oracle.Viewer{Username: "alice"}, oracle.Viewer{Username: "root", Admin: true}
	g.ask(t, `mutation{createUser(input:{username:"alice",name:"Alice"}){userErrors{message}}}`, nil, root)
	posted := string(g.ask(t, `mutation{postTwit(input:{content:"hello"}){twit{id}}}`, nil, alice))
	_, id, _ := strings.Cut(posted, `"id":"`)
	id, _, _ = strings.Cut(id, `"`)
	for _, test := range []struct{ name, table, mutation, path string }{
		{"the posted twit", tables.Twits.Table, `postTwit(input:{content:"x"}){twit{content}}`, `["postTwit"]`},
		{"the added comment", tables.Comments.Table, fmt.Sprintf(`addComment(input:{twitId:%q,content:"x"}){comment{content}}`, id),
			`["addComment"]`},
		{"a field of the payload", tables.Users.Table, `updateUser(input:{username:"alice",name:"A"}){user{name}}`,
			`["updateUser","user"]`},
	} {
		t.Run(test.name, func(t *testing.T) {
			table.Store(&test.table)
			written.Store(false)
			defer table.Store(nil)
			got := string(g.ask(t, "mutation{"+test.mutation+"}", nil, alice))
			for _, part := range []string{"the mutation may have been executed", `"path":` + test.path, `"UNAVAILABLE"`} {
				if !strings.Contains(got, part) {
					t.Errorf("%s, want %s", got, part)
				}
			}
		})
	}
}
