package limits

import (
	"bytes"
	"encoding/json"

	"github.com/99designs/gqlgen/graphql"

	"twibase/graph/apierr"
)

// Request checks variables and extensions.
func (l *Limits) Request(params *graphql.RawParams) *apierr.Error {
	if rejection := l.Values(params.Variables); rejection != nil {
		return rejection
	}
	return l.Values(params.Extensions)
}

// Values checks variables. Numbers are [json.Number].
func (l *Limits) Values(variables map[string]any) *apierr.Error {
	if rejection := l.check(Variables, len(variables)); rejection != nil {
		return rejection
	}
	v := values{checker: checker{limits: l}}
	v.fields(variables, 1)
	v.check(VariableBytes, v.bytes)
	return v.rejection
}

// Size returns the size of variables as the limit [VariableBytes] counts it.
func Size(variables map[string]any) (bytes int) {
	v := values{checker: checker{limits: new(Limits)}}
	v.fields(variables, 1)
	return v.bytes
}

type values struct {
	checker
	bytes int
}

func (v *values) fields(fields map[string]any, depth int) {
	for name, value := range fields {
		v.bytes += len(name)
		v.value(value, depth)
	}
}

func (v *values) value(value any, depth int) {
	v.bytes++
	if v.check(Depth, depth); v.rejection != nil {
		return
	}
	switch value := value.(type) {
	case *apierr.Error: // of [Object.reject]
		v.rejection = value
	case string:
		v.bytes += len(value)
		v.check(String, len(value))
	case json.Number:
		v.bytes += len(value)
		v.check(Number, len(value))
	case []any:
		v.check(List, len(value))
		for _, e := range value {
			v.value(e, depth+1)
		}
	case map[string]any:
		v.check(List, len(value))
		v.fields(value, depth+1)
	}
}

// Object is a JSON object of a client. A text that is too long for permitted values is not decoded,
// because values may take 25 times its memory. If a value exceeds a limit, all values are dropped.
// In both cases [Limits.Values] returns the error.
type Object struct {
	Fields map[string]any
	limits *Limits
}

// Object returns an empty object to decode into.
func (l *Limits) Object() Object { return Object{limits: l} }

// escaped bounds the ratio of lengths of JSON and UTF-8, for clients that escape all characters
// outside of ASCII.
const escaped = 4

// UnmarshalJSON makes numbers [json.Number].
func (o *Object) UnmarshalJSON(text []byte) error {
	o.Fields = nil
	if limit := o.limits[VariableBytes]; limit > 0 && len(text) > escaped*limit && text[0] == '{' {
		o.reject(apierr.LimitExceeded(Known[VariableBytes].What, limit, len(text)))
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&o.Fields); err != nil {
		return err
	}
	if rejection := o.limits.Values(o.Fields); rejection != nil {
		o.reject(rejection)
	}
	return nil
}

// Rejection is nil unless values were dropped.
func (o *Object) Rejection() *apierr.Error {
	rejection, _ := o.Fields[""].(*apierr.Error)
	return rejection
}

func (o *Object) reject(rejection *apierr.Error) { o.Fields = map[string]any{"": rejection} }
