package exec

import (
	"twibase/graph/introspection"
	"twibase/graph/schema"
)

// gqlgen's code loads the schema into parsedSchema. It is corrected here, so that all users see the
// same schema.
func init() { schema.Conform(parsedSchema) }

// IntrospectSchema and IntrospectType shadow gqlgen's methods, whose types gqlgen.yml replaces by
// those of twibase/graph/introspection.
func (ec *executionContext) IntrospectSchema() (*introspection.Schema, error) {
	return introspection.Of(ec.Schema()), nil
}

func (ec *executionContext) IntrospectType(name string) (*introspection.Type, error) {
	return introspection.Of(ec.Schema()).Type(name), nil
}
