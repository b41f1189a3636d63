package e2e

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"twibase/graph/model"
	"twibase/hbase/tables"
)

// hole takes away some of what a resolver answers, and of what is in it. of names what it was asked about.
func hole[T any](ctx context.Context, field string, of any, answer T, err error) (T, error) {
	if w := whimsOf(ctx); w.holes > 0 {
		v := reflect.ValueOf(&answer).Elem()
		ids, are := of.([]tables.ID)
		w.dig(field, field+" of "+nameOf(reflect.ValueOf(of)), v, are && w.hidesAny(ids, v) || !are && w.hides(v))
	}
	return answer, err
}

// holes is hole for a resolver that answers for each of its parents. Where a list has a hole gqlgen's executor has nil for a parent, though nothing is
// to be asked of what is not there: the resolver is asked about what does not exist, and what it says of that counts for nothing.
func holes[P, T any](ctx context.Context, field string, parents []*P, resolve func([]*P) ([]T, error)) ([]T, error) {
	asked := slices.Clone(parents)
	for i := range asked {
		if asked[i] == nil {
			asked[i] = absent[P]()
		}
	}
	answers, err := resolve(asked)
	answers = slices.Clone(answers) // what is on its way is filled in through the resolver's own
	for i := range answers {
		if parents[i] == nil {
			answers[i] = *new(T)
			continue
		}
		answers[i], _ = hole(ctx, field, parents[i], answers[i], nil)
	}
	if list, ok := err.(graphql.BatchErrors); ok && len(list.Errors()) == len(parents) {
		errs := graphql.BatchErrorList(slices.Clone(list.Errors()))
		for i := range errs {
			if parents[i] == nil {
				errs[i] = nil
			}
		}
		return answers, errs
	}
	return answers, err
}

// gone is the key of what does not exist.
const gone = "a-hole"

// absent makes a thing that does not exist.
func absent[P any]() *P {
	thing, twit := new(P), tables.Twit{AuthorName: gone, Name: gone, PostedAt: time.UnixMilli(0)}
	switch thing := any(thing).(type) {
	case *tables.User:
		thing.Username = gone
	case *tables.Role:
		thing.Code = gone
	case *tables.Department:
		thing.Code = gone
	case *tables.Game:
		thing.Code = gone
	case *tables.Twit:
		*thing = twit
	case *tables.Comment:
		*thing = tables.Comment{Twit: twit.Key(), AuthorName: gone, PostedAt: twit.PostedAt}
	}
	return thing
}

// hides reports whether there is in v what can't be read. Left out it would hide that from the executor for which it is read later, and not from
// the other one, to which the resolver says so at once. Lists name what exists in the world that is asked: of one that did not, hides would say one thing to
// one executor and another to the other.
func (w whims) hides(v reflect.Value) bool {
	switch _, row := v.Interface().(interface{ ID() tables.ID }); {
	case w.faults == 0:
		return false
	case (v.Kind() == reflect.Slice || v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface) && v.IsNil():
		return row || v.Kind() == reflect.Interface // it may be nil because it can't be read
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			if w.hides(v.Index(i)) {
				return true
			}
		}
	case v.Kind() == reflect.Pointer && isPart(v.Type()):
		for i := range v.Elem().NumField() {
			if w.hides(v.Elem().Field(i)) {
				return true
			}
		}
	}
	thing, ok := v.Interface().(interface{ ID() tables.ID })
	return ok && w.unreadable(thing.ID())
}

// hidesAny is hides for what was answered to ids. Of what has a row of its own they tell whether that can't be read: if it does not exist it is nil for
// gqlgen's executor, and as yet a promise for the other one.
func (w whims) hidesAny(ids []tables.ID, answers reflect.Value) bool {
	for i := range answers.Len() { // none, if there are too many ids
		if _, row := rowsOf[ids[i].Noun]; row && w.unreadable(ids[i]) || !row && w.hides(answers.Index(i)) {
			return true
		}
	}
	return false
}

// rowsOf are the tables of the nouns whose things have a row of their own.
var rowsOf = map[tables.Noun]string{tables.NounUser: tables.Users.Table, tables.NounRole: tables.Roles.Table,
	tables.NounDepartment: tables.Departments.Table, tables.NounGame: tables.Games.Table}

// unreadable reports whether the row of a thing can't be read, if it has one.
func (w whims) unreadable(id tables.ID) bool {
	table, row := rowsOf[id.Noun]
	return row && w.fault(table, tables.RowKey(id.Key)) != nil
}

// dig makes holes in an answer, or in what an answer has, wherever its Go type allows null: whether the schema does or not. hides tells whether there
// is in v what can't be read.
func (w whims) dig(field, name string, v reflect.Value, hides bool) {
	switch v.Kind() {
	case reflect.Slice:
		if v.IsNil() {
			return
		}
		if !hides && w.hit(w.holes, "list", name) {
			v.SetZero()
			return
		}
		list := reflect.MakeSlice(v.Type(), v.Len(), v.Len()) // the resolver's own may be shared
		reflect.Copy(list, v)
		v.Set(list)
		for i := range v.Len() {
			w.dig(field, field+" "+nameOf(v.Index(i)), v.Index(i), w.hides(v.Index(i)))
		}
	case reflect.Interface:
		if hides {
			return
		}
		if user, ok := v.Interface().(*tables.User); ok && w.hit(w.holes, "typed", name+user.Username) {
			v.Set(reflect.ValueOf((*tables.User)(nil)))
		} else if w.hit(w.holes, "", name) {
			v.SetZero()
		}
	case reflect.Pointer:
		if !hides && w.hit(w.holes, "", name) {
			v.SetZero()
		}
		if v.IsNil() {
			return
		}
		switch thing := v.Interface().(type) {
		case *tables.Twit: // others' rows may still be on their way
			if w.hit(w.holes, "photos", name) {
				twit := *thing
				twit.PhotoURLs = nil
				v.Set(reflect.ValueOf(&twit))
			}
		case *tables.DayCount:
			if w.hit(w.holes, "more than an Int", name) {
				v.Set(reflect.ValueOf(&tables.DayCount{Day: thing.Day, Count: 1 << 40}))
			}
		default:
			if isPart(v.Type()) {
				w.digIn(field, name, v.Elem())
			}
		}
	}
}

// isPart reports whether a type is of what connections are made of, which is made anew for each answer.
func isPart(t reflect.Type) bool {
	return t.Elem().Kind() == reflect.Struct && t.Elem().PkgPath() == reflect.TypeFor[model.PageInfo]().PkgPath()
}

// digIn makes holes in the fields of a part.
func (w whims) digIn(field, name string, part reflect.Value) {
	for i := range part.NumField() {
		if f := part.Type().Field(i); f.Name != "Cursor" {
			w.dig(field+f.Name, f.Name+" of "+name, part.Field(i), w.hides(part.Field(i)))
		}
	}
}

// nameOf names a thing, whatever stands around it.
func nameOf(v reflect.Value) string {
	if !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return ""
	}
	switch thing := v.Interface().(type) {
	case interface{ ID() tables.ID }:
		return string(thing.ID().Bytes())
	case *tables.DayCount:
		return thing.Day
	}
	if v.Kind() == reflect.Pointer && isPart(v.Type()) {
		if cursor := v.Elem().FieldByName("Cursor"); cursor.IsValid() {
			return cursor.String()
		}
	}
	return fmt.Sprint(v)
}
