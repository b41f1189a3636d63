package endpoint

import (
	"bytes"
	"encoding/json"
	"net/http"

	"github.com/99designs/gqlgen/graphql"
)

// write sends a response. Its data are JSON already and may be long, so they are not encoded again; a request that was not
// executed has none, not even null.
func write(w http.ResponseWriter, response *graphql.Response) {
	body := bytes.NewBuffer(make([]byte, 0, len(response.Data)+256))
	separator := byte('{')
	field := func(name string, value []byte) {
		body.WriteByte(separator)
		body.WriteString(`"` + name + `":`)
		body.Write(value)
		separator = ','
	}
	if len(response.Errors) > 0 {
		field("errors", encode(response.Errors))
	}
	if response.Data != nil {
		field("data", response.Data)
	}
	if len(response.Extensions) > 0 {
		field("extensions", encode(response.Extensions))
	}
	body.WriteByte('}')
	_, _ = w.Write(body.Bytes()) // a client that has gone needs no answer
}

// encode can't fail: what it is given holds strings and numbers that twibase put there.
func encode(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return text
}
