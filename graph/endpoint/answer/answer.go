// Package answer writes responses as JSON.
package answer

import (
	"encoding/json"

	"github.com/99designs/gqlgen/graphql"
)

// Elsewhere is the last response of a subscription for which the client is to ask another gateway, since this one ends. It is not sent: a
// client takes a subscription that completes for one that is done.
var Elsewhere = new(graphql.Response)

// Around returns what stands around the data of a response. The data are JSON already and may be long, so they are not encoded again; a
// request that was not executed has none, not even null.
func Around(response *graphql.Response) (head, tail []byte) {
	if len(response.Errors) > 0 {
		head = append(append(append(head, `{"errors":`...), Encode(response.Errors)...), ',')
	} else {
		head = append(head, '{')
	}
	if response.Data != nil {
		head = append(head, `"data":`...)
	} else {
		head = head[:len(head)-1] // a request that was refused has errors and nothing else
	}
	if len(response.Extensions) > 0 {
		tail = append(append(tail, `,"extensions":`...), Encode(response.Extensions)...)
	}
	return head, append(tail, '}')
}

// Append appends the whole of a response.
func Append(dst []byte, response *graphql.Response) []byte {
	head, tail := Around(response)
	return append(append(append(dst, head...), response.Data...), tail...)
}

// Encode returns a value as JSON. It can't fail: what it is given holds strings and numbers that twibase put there.
func Encode(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return text
}
