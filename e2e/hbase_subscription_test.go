package e2e

import (
	"fmt"
	"testing"

	"twibase/hbase/hbasetest/minihbase"
	"twibase/hbase/tables"
)

func TestSubscribersReconnectBetweenGatewaysOverHBase(t *testing.T) {
	minihbase.Slow(t)
	store := onHBase(t)
	for _, table := range tables.Definitions(1) {
		if err := store.CreateTable(t.Context(), table); err != nil {
			t.Fatal(err)
		}
	}
	s := stationsOver(t, store, 2, 0, "a", "fan")
	s[0].does(t, "fan", `follow(input:{username:"a"}){userErrors{code}}`)
	for n, field := range []string{"timelineTwitAdded(after:%q)", `twitPosted(username:"a",after:%q)`} {
		last := s[0].posts(t, "a", fmt.Sprint("first ", n))
		l := s[1].subscribe(t, "fan", fmt.Sprintf(field, last))
		missing := map[string]bool{}
		posts := func(at *station, content string) {
			missing[content] = true
			at.posts(t, "a", content)
		}
		for i := range 6 { // one is posted while nobody listens, and one while somebody does
			l.socket.CloseNow()
			posts(s[i%2], fmt.Sprint("away ", n, i))
			l = s[i%2].subscribe(t, "fan", fmt.Sprintf(field, last))
			posts(s[1-i%2], fmt.Sprint("there ", n, i))
			for len(missing) > 0 { // some come twice
				var content string
				last, content = l.next()
				delete(missing, content)
			}
		}
		l.socket.CloseNow()
	}
}
