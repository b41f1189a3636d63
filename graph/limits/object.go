package limits

import (
	"bytes"
	"encoding/json"

	"twibase/graph/apierr"
)

// Object is a JSON object that a client sends, as variables or extensions. Decoded it takes up to 25 times its text, so what exceeds the limits is not
// kept, and what is longer than it can be within them is not decoded: Fields hold the refusal then, which [Limits.Values] returns.
type Object struct {
	Fields map[string]any
	limits *Limits
}

// Object returns an empty one, to decode into.
func (l *Limits) Object() Object { return Object{limits: l} }

// escaped is how much longer a text is in JSON than what it says, if all of it is beyond the basic plane and escaped, as some clients do by default.
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

// Refusal is why Fields do not hold what was sent, nil if they do.
func (o *Object) Refusal() *apierr.Error {
	refusal, _ := o.Fields[""].(*apierr.Error)
	return refusal
}

func (o *Object) refuse(refusal *apierr.Error) { o.Fields = map[string]any{"": refusal} }
