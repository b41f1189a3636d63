package endpoint

import (
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/99designs/gqlgen/graphql"

	"twibase/graph/plan"
)

// write sends a response. Its data are JSON already and may be long, so they are not encoded again; a request that was not
// executed has none, not even null.
func write(w http.ResponseWriter, response *graphql.Response) {
	var head, tail []byte
	if len(response.Errors) > 0 {
		head = append(append(append(head, `{"errors":`...), encode(response.Errors)...), ',')
	} else {
		head = append(head, '{')
	}
	if response.Data != nil {
		head = append(head, `"data":`...)
	} else {
		head = head[:len(head)-1] // a request that was refused has errors and nothing else
	}
	if len(response.Extensions) > 0 {
		tail = append(append(tail, `,"extensions":`...), encode(response.Extensions)...)
	}
	tail = append(tail, '}')
	w.Header().Set("Content-Length", strconv.Itoa(len(head)+len(response.Data)+len(tail)))
	for _, part := range [][]byte{head, response.Data, tail} {
		if _, err := w.Write(part); err != nil {
			return // a client that has gone needs no answer
		}
	}
	plan.Release(response.Data)
}

// encode can't fail: what it is given holds strings and numbers that twibase put there.
func encode(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return text
}
