package writers

import (
	"encoding/base64"
	"encoding/json"
	"fmt"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// relationArgs are the arguments of both operations.
type relationArgs struct {
	relation *tables.Relation
	from, to string
	unrelateArgs
}

// unrelateArgs are the other arguments of unrelate.
type unrelateArgs struct {
	// Since is when the objects were related, in milliseconds: check completes it if the relation
	// has dates.
	Since int64 `json:",omitempty"`
	// FromDeleted is whether the first end is being deleted: then no fan-out job follows.
	FromDeleted bool `json:"Left,omitempty"`
	// IfMissing is whether nothing is done while both ends exist.
	IfMissing bool `json:"Gone,omitempty"`
}

func (a relationArgs) edge() hbase.Get { return a.relation.Get(a.from, a.to) }

func (a relationArgs) ends() references {
	return references{
		{a.relation.From.Object(), a.from, a.relation.From.Input},
		{a.relation.To.Object(), a.to, a.relation.To.Input},
	}
}

// MarshalJSON implements json.Marshaler. The ends have the names that the relation declares.
func (a relationArgs) MarshalJSON() ([]byte, error) {
	from, to := &a.relation.From, &a.relation.To
	text := fmt.Appendf(nil, "{%q:%s,%q:%s",
		from.Argument, encodeKey(from.Object(), a.from), to.Argument, encodeKey(to.Object(), a.to))
	others, err := json.Marshal(a.unrelateArgs)
	if len(others) > len("{}") {
		text = append(text, ',')
	}
	return append(text, others[1:]...), err
}

// UnmarshalJSON implements json.Unmarshaler. The relation is set.
func (a *relationArgs) UnmarshalJSON(text []byte) (err error) {
	var arguments map[string]any
	if err := json.Unmarshal(text, &arguments); err != nil {
		return err
	}
	if a.from, err = decodeKey(&a.relation.From, arguments); err != nil {
		return err
	}
	if a.to, err = decodeKey(&a.relation.To, arguments); err != nil {
		return err
	}
	return json.Unmarshal(text, &a.unrelateArgs)
}

// encodeKey returns a key in JSON, in base64 if the keys of such objects need not be valid UTF-8.
func encodeKey(o *tables.AnyObject, key string) []byte {
	if !o.TextKeys() {
		key = base64.StdEncoding.EncodeToString([]byte(key))
	}
	text, _ := json.Marshal(key) // a string can be marshalled
	return text
}

func decodeKey(end *tables.End, arguments map[string]any) (string, error) {
	key, _ := arguments[end.Argument].(string)
	if end.Object().TextKeys() {
		return key, nil
	}
	b, err := base64.StdEncoding.DecodeString(key)
	return string(b), err
}
