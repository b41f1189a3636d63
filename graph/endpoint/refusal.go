package endpoint

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/vektah/gqlparser/v2/gqlerror"

	"twibase/graph/apierr"
	"twibase/graph/endpoint/strict"
)

// refusal is the response to an HTTP request that can't be read.
type refusal struct {
	*apierr.Error
	status int
	// batch is the number of requests in the body's array. Each gets the error. 0 is for a single
	// error.
	batch int
}

// maxBatch is the maximum number of requests in a batch for which each request gets an error. A
// batching client shows only these.
const maxBatch = 50

// refuseBatch refuses a body that is an array of requests, as Apollo's BatchHttpLink sends it. A client that
// accepts only the older media type shows the errors of a response with the status 200 alone.
func refuseBatch(body *bytes.Buffer, accept accept) *refusal {
	n, err := strict.Elements(body, maxBatch)
	switch {
	case err != nil:
		return notARequest(err)
	case n == 0:
		return notARequest(errors.New("it is an empty array"))
	case n > maxBatch:
		return &refusal{status: http.StatusBadRequest, Error: apierr.BadUserInput(
			"requests can't be batched: send one request at a time; the array has more than %d, so this is the only error", maxBatch)}
	}
	status := http.StatusBadRequest
	if accept.media == mediaJSON && !accept.eventsFirst {
		status = http.StatusOK
	}
	return &refusal{status: status, batch: n,
		Error: apierr.BadUserInput("requests can't be batched: send one request at a time")}
}

func notARequest(err error) *refusal {
	return &refusal{status: http.StatusBadRequest,
		Error: apierr.BadUserInput("the body is not the JSON object of a GraphQL request: %s", err)}
}

// write sends the refusal.
func (r *refusal) write(w http.ResponseWriter) {
	if r.batch == 0 {
		r.Write(w, r.status)
		return
	}
	responses := make([]map[string]gqlerror.List, r.batch)
	for i := range responses {
		responses[i] = map[string]gqlerror.List{"errors": {r.GraphQL()}}
	}
	w.WriteHeader(r.status)
	_ = json.NewEncoder(w).Encode(responses) // a client that has gone needs no answer
}
