package plan

import (
	"github.com/99designs/gqlgen/graphql"

	"twibase/graph/coercion"
)

// args returns the coerced arguments of a field. An error is the field's: its resolver is not called.
func (r *run) args(s *selection) (args map[string]any, err error) {
	if s.field.Args == nil {
		return nil, nil
	}
	if s.constant != nil {
		if known := s.constant.Load(); known != nil {
			return *known, nil
		}
	}
	raw, err := coercion.Arguments(r.schema, s.Definition.Arguments, s.Arguments, r.op.Variables)
	if err != nil {
		return nil, &InputError{err.Error()}
	}
	ctx := graphql.WithUnmarshalerMap(r.ctx, graphql.BuildUnmarshalerMap())
	args, err = s.field.Args(ctx, r.exec, raw)
	if s.constant != nil && err == nil {
		kept := args
		s.constant.Store(&kept)
	}
	return args, err
}
