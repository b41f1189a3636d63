package limits

import (
	"encoding/json"

	"github.com/99designs/gqlgen/graphql"

	"twibase/graph/apierr"
)

// Request refuses a request whose variables or extensions exceed the limits.
func (l *Limits) Request(params *graphql.RawParams) *apierr.Error {
	if refusal := l.Values(params.Variables); refusal != nil {
		return refusal
	}
	return l.Values(params.Extensions)
}

// Values refuses values of variables that exceed the limits. Numbers are [json.Number].
func (l *Limits) Values(variables map[string]any) *apierr.Error {
	if refusal := l.check(Variables, len(variables)); refusal != nil {
		return refusal
	}
	v := values{limits: l}
	for name, value := range variables {
		v.bytes += len(name)
		v.value(value, 1)
	}
	v.check(VariableBytes, v.bytes)
	return v.refusal
}

type values struct {
	limits  *Limits
	bytes   int
	refusal *apierr.Error
}

func (v *values) check(limit Limit, actual int) {
	if v.refusal == nil {
		v.refusal = v.limits.check(limit, actual)
	}
}

func (v *values) value(value any, depth int) {
	v.bytes++
	if v.check(Depth, depth); v.refusal != nil {
		return
	}
	switch value := value.(type) {
	case *apierr.Error: // as an Object has it
		v.refusal = value
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
		for name, e := range value {
			v.bytes += len(name)
			v.value(e, depth+1)
		}
	}
}
