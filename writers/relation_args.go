package writers

import (
	"encoding/json"
	"fmt"
	"slices"

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
	from, err := json.Marshal(storedKey(a.relation.From.Object(), &a.from))
	if err != nil {
		return nil, err
	}
	to, err := json.Marshal(storedKey(a.relation.To.Object(), &a.to))
	if err != nil {
		return nil, err
	}
	others, err := json.Marshal(a.unrelateArgs)
	if err != nil {
		return nil, err
	}
	text := fmt.Appendf(nil, "{%q:%s,%q:%s", a.relation.From.Argument, from, a.relation.To.Argument, to)
	if others = others[1:]; len(others) > 1 {
		text = append(text, ',')
	}
	return slices.Concat(text, others), nil
}

// UnmarshalJSON implements json.Unmarshaler. The relation is set.
func (a *relationArgs) UnmarshalJSON(text []byte) error {
	var arguments map[string]json.RawMessage
	if err := json.Unmarshal(text, &arguments); err != nil {
		return err
	}
	for _, end := range []struct {
		*tables.End
		key *string
	}{{&a.relation.From, &a.from}, {&a.relation.To, &a.to}} {
		if stored, ok := arguments[end.Argument]; ok {
			if err := json.Unmarshal(stored, storedKey(end.Object(), end.key)); err != nil {
				return err
			}
		}
	}
	return json.Unmarshal(text, &a.unrelateArgs)
}

// storedKey is a key in JSON: base64 if keys of such objects need not be valid UTF-8.
func storedKey(o *tables.AnyObject, key *string) any {
	if o.TextKeys() {
		return key
	}
	return (*binaryKey)(key)
}

type binaryKey string

func (k binaryKey) MarshalJSON() ([]byte, error) { return json.Marshal([]byte(k)) }

func (k *binaryKey) UnmarshalJSON(text []byte) error {
	var b []byte
	err := json.Unmarshal(text, &b)
	*k = binaryKey(b)
	return err
}
