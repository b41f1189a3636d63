package endpoint

import (
	"net/http"
	"strconv"

	"github.com/99designs/gqlgen/graphql"

	"twibase/graph/endpoint/answer"
)

// write sends a response.
func write(w http.ResponseWriter, response *graphql.Response) {
	message := answer.Of("", response, "")
	w.Header().Set("Content-Length", strconv.Itoa(message.Len()))
	_ = message.Write(w) // a client that has gone needs no answer
}
