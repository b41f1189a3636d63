package limits

import (
	"bytes"
	"encoding/json"

	"twibase/graph/apierr"
)

// Object is a JSON object of a client: variables or extensions. Decoded it takes up to 25 times its
// text. So values that exceed the limits are dropped, and a text that is too long for any permitted
// values is not decoded. Fields then have the refusal, which [Limits.Values] returns.
type Object struct {
	Fields map[string]any
	limits *Limits
}

// Object returns an empty object to decode into.
func (l *Limits) Object() Object { return Object{limits: l} }

// escaped is the maximum ratio of JSON to UTF-8: some clients escape all characters outside of
// ASCII.
const escaped = 4

// UnmarshalJSON implements [json.Unmarshaler]. Numbers become [json.Number].
func (o *Object) UnmarshalJSON(text []byte) error {
	o.Fields = nil
	if limit := o.limits[VariableBytes]; limit > 0 && len(text) > escaped*limit && text[0] == '{' {
		o.refuse(apierr.LimitExceeded(Known[VariableBytes].What, limit, len(text)))
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&o.Fields); err != nil {
		return err
	}
	if refusal := o.limits.Values(o.Fields); refusal != nil {
		o.refuse(refusal)
	}
	return nil
}

// Refusal returns why the values were dropped, nil if they were not.
func (o *Object) Refusal() *apierr.Error {
	refusal, _ := o.Fields[""].(*apierr.Error)
	return refusal
}

func (o *Object) refuse(refusal *apierr.Error) { o.Fields = map[string]any{"": refusal} }
