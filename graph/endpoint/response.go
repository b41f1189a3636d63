package endpoint

import (
	"net/http"
	"strconv"

	"github.com/99designs/gqlgen/graphql"

	"twibase/graph/endpoint/answer"
	"twibase/graph/plan"
)

// write sends a response.
func write(w http.ResponseWriter, response *graphql.Response) {
	head, tail := answer.Around(response)
	w.Header().Set("Content-Length", strconv.Itoa(len(head)+len(response.Data)+len(tail)))
	for _, part := range [][]byte{head, response.Data, tail} {
		if _, err := w.Write(part); err != nil {
			return // a client that has gone needs no answer
		}
	}
	plan.Release(response.Data)
}
