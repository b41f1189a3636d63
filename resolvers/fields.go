package resolvers

import (
	"maps"

	"twibase/graph/explain"
)

// field describes a field that has a resolver. The description is a value such as a [connection] or
// a [lookup]: it knows what the field reads. Its cost method declares that before the operation
// runs. Its other methods read it, for the resolver.
type field interface {
	cost(call *costCall) error
}

// costFunc is a field that reads nothing of its own, or something that no other field reads.
type costFunc func(call *costCall) error

func (f costFunc) cost(call *costCall) error { return f(call) }

// fields are descriptions by "Object.field". The file of each noun has those of its fields.
type fields map[string]field

// described holds all fields that have resolvers.
var described = func() fields {
	all := fields{}
	for _, of := range []fields{
		nodeFields, userFields, twitFields, commentFields, roleFields, departmentFields, gameFields, accountFields,
		subscriptionFields,
	} {
		maps.Copy(all, of)
	}
	return all
}()

// Costs returns the costs of all resolvers, for lists whose buckets hold listBound members: that is
// [tables.ListBound], or less in tests. They are safe for concurrent use.
func Costs(listBound int) explain.Costs {
	return func(object, name string) explain.Cost {
		f := described[object+"."+name]
		if f == nil {
			return nil
		}
		return func(c *explain.Call) error { return f.cost(&costCall{c, listBound / 2}) }
	}
}
