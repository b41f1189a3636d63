package exec

import (
	"errors"

	"twibase/graph/introspection"
	"twibase/graph/schema"
)

// The schema is corrected once, here, where gqlgen's generated code loads it: every user of this
// package sees the same one.
func init() { schema.Conform(parsedSchema) }

var errDisabled = errors.New("introspection disabled")

// IntrospectSchema and IntrospectType shadow gqlgen's methods, whose types gqlgen.yml replaces by
// those of twibase/graph/introspection.
func (ec *executionContext) IntrospectSchema() (*introspection.Schema, error) {
	if ec.DisableIntrospection {
		return nil, errDisabled
	}
	return introspection.Of(ec.Schema()), nil
}

func (ec *executionContext) IntrospectType(name string) (*introspection.Type, error) {
	if ec.DisableIntrospection {
		return nil, errDisabled
	}
	return introspection.Of(ec.Schema()).Type(name), nil
}
