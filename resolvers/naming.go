package resolvers

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/99designs/gqlgen/graphql"

	"twibase/graph/model"
	"twibase/hbase/tables"
	"twibase/writers"
)

// naming is a pair of input fields that name an object by its key, such as `username`, or by its
// id, such as `userId`.
type naming struct {
	object          *tables.AnyObject
	keyName, idName string
	key             *graphql.Omittable[*string]
	id              *graphql.Omittable[*tables.ID]
	optional        bool // the input may name no object
}

// withKeys sets the keys of all objects that an input names by ids, and calls resolve. User errors
// of such a key get the path of the id. If [naming.check] fails, withKeys returns its user errors
// instead.
func withKeys[I any](in *I, resolve func() ([]*model.UserError, error)) ([]*model.UserError, error) {
	all := namingsOf(in)
	var keyErrors writers.UserErrors
	for _, n := range all {
		keyErrors = append(keyErrors, n.check()...)
	}
	if len(keyErrors) > 0 {
		return userErrorsOf(keyErrors), nil
	}
	byID := map[string]string{}
	for _, n := range all {
		if id := n.id.Value(); id != nil {
			byID[n.keyName] = n.idName
			*n.key = graphql.OmittableOf(&id.Key)
		} else if n.id.IsSet() && !n.key.IsSet() {
			*n.key = graphql.OmittableOf[*string](nil)
		}
	}
	userErrors, err := resolve()
	for _, e := range userErrors {
		if len(e.Path) > 0 && byID[e.Path[0]] != "" {
			e.Path[0] = byID[e.Path[0]] // e.Field points to this element, so it changes, too
		}
	}
	return userErrors, err
}

func (n naming) check() writers.UserErrors {
	wrong := func(field, format string, args ...any) writers.UserErrors {
		return writers.UserErrors{{Code: writers.BadInput, Field: field, Message: fmt.Sprintf(format, args...)}}
	}
	switch key, id := n.key.Value(), n.id.Value(); {
	case key != nil && id != nil:
		return wrong(n.idName, "pass %s or %s, not both", n.keyName, n.idName)
	case key == nil && id == nil && !n.optional:
		return wrong(n.keyName, "pass %s or %s", n.keyName, n.idName)
	case id != nil && id.Noun != n.object.Noun:
		return wrong(n.idName, "it is not the id of a %s", n.object.Name)
	}
	return nil
}

// namingsOf pairs each optional id of an input, such as departmentId, with a key: the field without
// the ending Id, such as department, or else username or code. A pair that sets a reference, such
// as a role's department, may name no object.
func namingsOf[I any](in *I) (all []naming) {
	value := reflect.ValueOf(in).Elem()
	fields := make(map[string]any, value.NumField())
	for i := range value.NumField() {
		fields[value.Type().Field(i).Tag.Get("json")] = value.Field(i).Addr().Interface()
	}
	for i := range value.NumField() {
		idName := value.Type().Field(i).Tag.Get("json")
		id, isID := fields[idName].(*graphql.Omittable[*tables.ID])
		if !isID {
			continue
		}
		noun, _ := strings.CutSuffix(idName, "Id")
		n := naming{object: tables.ObjectNamed(noun), keyName: noun, idName: idName, id: id}
		switch target := tables.TargetOf(noun); {
		case fields[noun] == nil:
			n.keyName = keyName(n.object)
		case target != nil:
			n.object, n.optional = target, true
		}
		n.key = fields[n.keyName].(*graphql.Omittable[*string])
		all = append(all, n)
	}
	return all
}

func keyName(o *tables.AnyObject) string {
	if o.Noun == tables.NounUser {
		return "username"
	}
	return "code"
}

// named returns a key that the client sent, or withKeys derived from an id.
func named(key graphql.Omittable[*string]) string { return *key.Value() }
