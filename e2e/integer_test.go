package e2e

import (
	"fmt"
	"maps"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"twibase/transfer"
)

// Null propagates from a non-null field.
func TestSumBeyondInt32FailsItsField(t *testing.T) {
	files := maps.Clone(people)
	files["plays"] = "username,game,day,count"
	for _, who := range []string{"boss,chess,2014-12-24", "boss,chess,2014-12-25", "third,chess,2014-12-25"} {
		files["plays"] += fmt.Sprintf("\n%s,%d", who, math.MaxInt32)
	}
	store := inMemory(t)
	importInto(t, store, folderOf(t, files), transfer.Options{})
	e := newExecutors(store)
	for _, test := range []struct{ name, query, want string }{
		{"within Int", `{game(code:"chess"){plays(from:"2014-12-24",to:"2014-12-24"){day n:count}}}`,
			`{"data":{"game":{"plays":[{"day":"2014-12-24","n":2147483647}]}}}`},
		{"non-null field", `{game(code:"chess"){name plays(from:"2014-12-24",to:"2014-12-25"){day n:count} playerCount}}`,
			`{"errors":[{"message":"an Int is limited to 2147483647, and this is 4294967294","path":["game","plays",1,"n"],"locations":[{"line":1,"column":71}],` +
				`"extensions":{"actual":4294967294,"code":"LIMIT_EXCEEDED","limit":2147483647}}],"data":{"game":{"name":"Chess","plays":null,"playerCount":2}}}`},
		{"nullable field", `{user(username:"boss"){games{edges{day count node{code}}}}}`,
			`{"errors":[{"message":"an Int is limited to 2147483647, and this is 4294967294","path":["user","games","edges",0,"count"],"locations":[{"line":1,"column":40}],` +
				`"extensions":{"actual":4294967294,"code":"LIMIT_EXCEEDED","limit":2147483647}}],"data":{"user":{"games":{"edges":[{"day":"2014-12-25","count":null,"node":{"code":"chess"}}]}}}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, planned := request{query: test.query}.send(e.planned)
			_, stock := request{query: test.query}.send(e.stock)
			if diff := cmp.Diff(test.want, string(planned)); diff != "" {
				t.Errorf("the plan (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(string(stock), string(planned)); diff != "" {
				t.Errorf("the executors differ (-gqlgen +plan):\n%s", diff)
			}
		})
	}
}
