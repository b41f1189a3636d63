package e2e

import (
	"context"
	"fmt"
	"hash/fnv"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"twibase/graph/model"
	"twibase/hbase"
	"twibase/hbase/hbasetest"
	"twibase/hbase/tables"
)

// faultPlan decides by the seed and the name of the row or part, not by the order or number of
// reads.
type faultPlan struct {
	seed uint64
	// One of errors rows is unreadable, and one of missing parts is null, unless 0.
	errors, missing uint64
}

type faultPlanKey struct{}

func faultPlanOf(ctx context.Context) faultPlan {
	p, _ := ctx.Value(faultPlanKey{}).(faultPlan)
	return p
}

func (p faultPlan) applies(n uint64, kind, name string) bool {
	if n == 0 {
		return false
	}
	h := fnv.New64a()
	fmt.Fprint(h, p.seed, kind, " ", name)
	return h.Sum64()>>7%n == 0
}

func (p faultPlan) store(store hbase.Store) hbase.Store {
	if p.errors == 0 {
		return store
	}
	return hbasetest.NewFaults(store, func(op hbasetest.Op) hbasetest.Fault {
		return hbasetest.Fault{Err: p.rowError(op.Table, op.Row)}
	})
}

func (p faultPlan) rowError(table, row string) error {
	switch {
	case strings.Contains(row, missingKey):
		return nil
	case p.applies(p.errors, table, row):
		return hbase.ErrUnavailable
	case p.applies(p.errors*2, "corrupt "+table, row):
		return hbase.ErrCorrupt
	}
	return nil
}

// parent is the object or the field's arguments.
func removeFrom[T any](ctx context.Context, field string, parent any, result T, err error) (T, error) {
	if p := faultPlanOf(ctx); p.missing > 0 {
		v := reflect.ValueOf(&result).Elem()
		unreadable := false
		if ids, ok := parent.([]tables.ID); ok {
			unreadable = p.anyUnreadable(ids, v)
		} else {
			unreadable = p.hasUnreadable(v)
		}
		p.remove(field, field+" of "+nameOf(reflect.ValueOf(parent)), v, unreadable)
	}
	return result, err
}

// gqlgen's executor passes nil for a parent that was removed from a list. Then removeFromEach
// passes an object that does not exist, and drops its result.
func removeFromEach[P, T any](
	ctx context.Context, field string, parents []*P, resolve func([]*P) ([]T, error),
) ([]T, error) {
	existing := slices.Clone(parents)
	for i := range existing {
		if existing[i] == nil {
			existing[i] = nonexistent[P]()
		}
	}
	results, err := resolve(existing)
	results = slices.Clone(results) // lazy objects are filled in through this slice
	for i := range results {
		if parents[i] == nil {
			results[i] = *new(T)
			continue
		}
		results[i], _ = removeFrom(ctx, field, parents[i], results[i], nil)
	}
	if list, ok := err.(graphql.BatchErrors); ok && len(list.Errors()) == len(parents) {
		errs := graphql.BatchErrorList(slices.Clone(list.Errors()))
		for i := range errs {
			if parents[i] == nil {
				errs[i] = nil
			}
		}
		return results, errs
	}
	return results, err
}

const missingKey = "missing-object"

func nonexistent[P any]() *P {
	o, twit := new(P), tables.Twit{AuthorName: missingKey, Name: missingKey, PostedAt: time.UnixMilli(0)}
	switch o := any(o).(type) {
	case *tables.User:
		o.Username = missingKey
	case *tables.Role:
		o.Code = missingKey
	case *tables.Department:
		o.Code = missingKey
	case *tables.Game:
		o.Code = missingKey
	case *tables.Twit:
		*o = twit
	case *tables.Comment:
		*o = tables.Comment{Twit: twit.Key(), AuthorName: missingKey, PostedAt: twit.PostedAt}
	}
	return o
}

// hasUnreadable reports whether v contains an object whose row cannot be read. Such a value is not
// removed: the plan would not read the row, but gqlgen's executor already has its error. Lists must
// name existing objects, because the executors treat others differently.
func (p faultPlan) hasUnreadable(v reflect.Value) bool {
	switch _, row := v.Interface().(interface{ ID() tables.ID }); {
	case p.errors == 0:
		return false
	case (v.Kind() == reflect.Slice || v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface) && v.IsNil():
		return row || v.Kind() == reflect.Interface
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			if p.hasUnreadable(v.Index(i)) {
				return true
			}
		}
	case v.Kind() == reflect.Pointer && isPart(v.Type()):
		for i := range v.Elem().NumField() {
			if p.hasUnreadable(v.Elem().Field(i)) {
				return true
			}
		}
	}
	o, ok := v.Interface().(interface{ ID() tables.ID })
	return ok && p.isUnreadable(o.ID())
}

// anyUnreadable is hasUnreadable for nodes(ids). It checks the ids of objects with rows, because
// gqlgen's executor has nil for a missing object, and the plan a lazy object.
func (p faultPlan) anyUnreadable(ids []tables.ID, results reflect.Value) bool {
	for i := range results.Len() {
		_, row := tableOf[ids[i].Noun]
		if row && p.isUnreadable(ids[i]) || !row && p.hasUnreadable(results.Index(i)) {
			return true
		}
	}
	return false
}

var tableOf = map[tables.Noun]string{
	tables.NounUser:       tables.Users.Table,
	tables.NounRole:       tables.Roles.Table,
	tables.NounDepartment: tables.Departments.Table,
	tables.NounGame:       tables.Games.Table,
}

func (p faultPlan) isUnreadable(id tables.ID) bool {
	table, row := tableOf[id.Noun]
	return row && p.rowError(table, tables.RowKey(id.Key)) != nil
}

// remove sets parts of v to null where the Go type allows, even if the schema does not. It keeps an
// unreadable v.
func (p faultPlan) remove(field, name string, v reflect.Value, unreadable bool) {
	switch v.Kind() {
	case reflect.Slice:
		if v.IsNil() {
			return
		}
		if !unreadable && p.applies(p.missing, "list", name) {
			v.SetZero()
			return
		}
		list := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(list, v)
		v.Set(list)
		for i := range v.Len() {
			p.remove(field, field+" "+nameOf(v.Index(i)), v.Index(i), p.hasUnreadable(v.Index(i)))
		}
	case reflect.Interface:
		if unreadable {
			return
		}
		if user, ok := v.Interface().(*tables.User); ok && p.applies(p.missing, "typed", name+user.Username) {
			v.Set(reflect.ValueOf((*tables.User)(nil)))
		} else if p.applies(p.missing, "", name) {
			v.SetZero()
		}
	case reflect.Pointer:
		if !unreadable && p.applies(p.missing, "", name) {
			v.SetZero()
		}
		if v.IsNil() {
			return
		}
		switch o := v.Interface().(type) {
		case *tables.Twit: // other rows may not have been read yet
			if p.applies(p.missing, "photos", name) {
				twit := *o
				twit.PhotoURLs = nil
				v.Set(reflect.ValueOf(&twit))
			}
		case *tables.DayCount:
			if p.applies(p.missing, "more than an Int", name) {
				v.Set(reflect.ValueOf(&tables.DayCount{Day: o.Day, Count: 1 << 40}))
			}
		default:
			if isPart(v.Type()) {
				p.removeFromFields(field, name, v.Elem())
			}
		}
	}
}

// Results do not share the parts of a connection.
func isPart(t reflect.Type) bool {
	return t.Elem().Kind() == reflect.Struct && t.Elem().PkgPath() == reflect.TypeFor[model.PageInfo]().PkgPath()
}

func (p faultPlan) removeFromFields(field, name string, part reflect.Value) {
	for i := range part.NumField() {
		if f := part.Type().Field(i); f.Name != "Cursor" {
			p.remove(field+f.Name, f.Name+" of "+name, part.Field(i), p.hasUnreadable(part.Field(i)))
		}
	}
}

func nameOf(v reflect.Value) string {
	if !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return ""
	}
	switch o := v.Interface().(type) {
	case interface{ ID() tables.ID }:
		return string(o.ID().Bytes())
	case *tables.DayCount:
		return o.Day
	}
	if v.Kind() == reflect.Pointer && isPart(v.Type()) {
		if cursor := v.Elem().FieldByName("Cursor"); cursor.IsValid() {
			return cursor.String()
		}
	}
	return fmt.Sprint(v)
}
