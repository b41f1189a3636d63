package writers

import (
	"context"
	"encoding/json"
	"fmt"

	"golang.org/x/text/unicode/norm"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// Relations: every kind of relation in the catalogue gets two operations, which relate two objects
// and end that. Both commit on the row of the edge, with the state machine of protocol.go. They
// differ between kinds only by their names, their arguments' names, and what [tables.Relation]
// declares.
//
//	              relate                                unrelate
//	read          the edge, both ends                   the edge; both ends if the relation is strict
//	then          -                                     both ends, if it is a compensation of reusable ends
//	precondition  both ends exist                       strict: both ends exist; compensation: one does not
//	unchanged     the edge says related                 the edge does not say related
//	commit        edge: related since the commit        edge: not related
//	plan.now 0    add both members, count both +1       remove both members, count both -1
//	plan.now 1    read both ends: if one is missing,    -
//	              nested unrelate
//	plan.later    a fan-out job, if declared            the same, unless the first end is being deleted
//
// An end that is deleted meanwhile is found by one of two: relate reads the ends after the members
// are stored, and a deletion marks the object first and goes through its lists afterwards. Both run
// the same unrelate, which finds nothing to do the second time. If a key is reusable, the object
// may exist again by then. So such an unrelate reads the edge first and the ends after it, and a
// complete relate is sealed (compensated, see stateEnding).
//
// A crash before the commit leaves an intent that a sweep fences. After it, a sweep, or the next
// operation on the edge, applies the whole plan again: members and counts are idempotent, nested
// operations find nothing to do, and the job has the id of the operation.
func init() {
	for _, x := range tables.Relations() {
		register(relate(x))
		register(unrelate(x))
	}
}

// reusable reports whether an end can exist again after it was deleted.
func reusable(x *tables.Relation) bool { return x.From.Object().Reusable || x.To.Object().Reusable }

func relate(x *tables.Relation) opType[relationArgs] {
	return opType[relationArgs]{
		name: x.Name, properties: properties{compensated: reusable(x)}, zero: relationArgs{relation: x},
		row:   relationArgs.edge,
		reads: func(a relationArgs) []hbase.Get { return a.ends().gets() },
		check: func(a *relationArgs, r *reading) (decision, error) {
			if err := a.ends().check(r.cells); err != nil {
				return unchanged, err
			}
			related, _, err := x.Decode(r.row)
			if err != nil || related {
				return unchanged, err
			}
			return commit(x.Put(a.from, a.to, true, millis(r.at), r.at).Cells...), nil
		},
		plan: func(a relationArgs, o operation) plan {
			undo := unrelateNested(x, a.from, a.to, unrelateArgs{})
			return plan{
				now:   []stage{a.members(o.at, o.at, 1), {compensation{a.ends(), undo}}},
				later: a.job(x.Job, o),
			}
		},
	}
}

func unrelate(x *tables.Relation) opType[relationArgs] {
	if x.Strict && !reusable(x) { // such a compensation would find its ends missing, and be refused
		panic("writers: relation " + x.Name + " is strict, and the keys of its ends are not reusable")
	}
	return opType[relationArgs]{
		name: x.Inverse, zero: relationArgs{relation: x},
		row: relationArgs.edge,
		reads: func(a relationArgs) []hbase.Get {
			if x.Strict && !a.IfMissing {
				return a.ends().gets()
			}
			return nil
		},
		check: func(a *relationArgs, r *reading) (decision, error) {
			switch {
			case a.IfMissing:
				if missing, err := a.ends().missing(r); err != nil || !missing {
					return unchanged, err
				}
			case x.Strict:
				if err := a.ends().check(r.cells); err != nil {
					return unchanged, err
				}
			}
			related, since, err := x.Decode(r.row)
			if err != nil || !related {
				return unchanged, err
			}
			if x.Dated() {
				a.Since = since.UnixMilli()
			}
			return commit(x.Put(a.from, a.to, false, since, r.at).Cells...), nil
		},
		plan: func(a relationArgs, o operation) plan {
			p := plan{now: []stage{a.members(a.Since, o.at, -1)}}
			if !a.FromDeleted {
				p.later = a.job(x.InverseJob, o)
			}
			return p
		},
	}
}

// members adds both ends to each other's lists and counts, or removes them if delta is negative.
func (a relationArgs) members(since, at int64, delta int) (s stage) {
	for _, m := range []struct {
		end                *tables.End
		owner, counterpart string
	}{{&a.relation.From, a.from, a.to}, {&a.relation.To, a.to, a.from}} {
		list := m.end.List
		member := &member{list: list, owner: m.owner, cell: m.end.Member(m.counterpart, millis(since), at), gone: delta < 0}
		s = append(s, member)
		if list.Count != "" {
			s = append(s, countIn(list.Owner.Table, m.owner, list.Count, delta))
		}
	}
	return s
}

// job starts a fan-out job, unless kind is empty.
func (a relationArgs) job(kind tables.JobKind, o operation) []stage {
	if kind == "" {
		return nil
	}
	return []stage{{job{tables.Job{ID: o.id, Kind: kind, At: o.at, Author: a.to, Follower: a.from}}}}
}

// unrelateNested ends a relation because an end is missing.
func unrelateNested(x *tables.Relation, from, to string, args unrelateArgs) nested {
	args.IfMissing = reusable(x)
	return nested{x.Inverse, &relationArgs{x, from, to, args}}
}

// unrelateAll ends all relations of an object that is being deleted.
func unrelateAll(o *tables.AnyObject, key string) (s stage) {
	for _, x := range tables.Relations() {
		if x.From.Object() == o {
			s = append(s, eachCounterpart(&x.From, key, func(to string) effect {
				return unrelateNested(x, key, to, unrelateArgs{FromDeleted: x.InverseJob != ""})
			}))
		}
		if x.To.Object() == o {
			s = append(s, eachCounterpart(&x.To, key, func(from string) effect {
				return unrelateNested(x, from, key, unrelateArgs{})
			}))
		}
	}
	return s
}

// Relate relates two objects, by their keys. If they are related already, nothing happens.
func (w *Writers) Relate(ctx context.Context, x *tables.Relation, from, to string) error {
	var in input
	a := in.ends(x, from, to)
	if x.Irreflexive && a.from == a.to {
		in.bad(x.To.Input, "nobody can %s themselves", x.Name)
	}
	return run(ctx, w, &in, opTypes[x.Name], a)
}

// Unrelate ends what Relate began. If the objects are not related, nothing happens.
func (w *Writers) Unrelate(ctx context.Context, x *tables.Relation, from, to string) error {
	var in input
	return run(ctx, w, &in, opTypes[x.Inverse], in.ends(x, from, to))
}

func (in *input) ends(x *tables.Relation, from, to string) *relationArgs {
	return &relationArgs{relation: x, from: in.end(&x.From, from), to: in.end(&x.To, to)}
}

// end is the key of an existing object at an end of a relation.
func (in *input) end(end *tables.End, key string) string {
	switch object := end.Object(); {
	case end.Input == "": // the viewer
	case object.TextKeys():
		key = norm.NFC.String(key)
		in.check(end.Input, object.CheckKey(key))
	case object.CheckKey(key) != nil: // the id of something else
		in.errors = append(in.errors, UserError{NotFound, end.Input, "there is no such " + object.Name})
	}
	return key
}

// relationArgs are the arguments of both operations.
type relationArgs struct {
	relation *tables.Relation
	from, to string
	unrelateArgs
}

// unrelateArgs are the other arguments of unrelate.
type unrelateArgs struct {
	// Since is when the objects were related, in milliseconds: check completes it if the relation
	// has dates.
	Since int64 `json:",omitempty"`
	// FromDeleted is whether the first end is being deleted: then no fan-out job follows.
	FromDeleted bool `json:"Left,omitempty"`
	// IfMissing is whether nothing is done while both ends exist.
	IfMissing bool `json:"Gone,omitempty"`
}

func (a relationArgs) edge() hbase.Get { return a.relation.Get(a.from, a.to) }

func (a relationArgs) ends() references {
	return references{
		{a.relation.From.Object(), a.from, a.relation.From.Input},
		{a.relation.To.Object(), a.to, a.relation.To.Input},
	}
}

// MarshalJSON implements json.Marshaler. The ends have the names that the relation declares.
func (a relationArgs) MarshalJSON() ([]byte, error) {
	from, to := &a.relation.From, &a.relation.To
	text := fmt.Appendf(nil, "{%q:%s,%q:%s",
		from.Argument, encodeKey(from.Object(), a.from), to.Argument, encodeKey(to.Object(), a.to))
	others, err := json.Marshal(a.unrelateArgs)
	if len(others) > len("{}") {
		text = append(text, ',')
	}
	return append(text, others[1:]...), err
}

// UnmarshalJSON implements json.Unmarshaler. The relation is set.
func (a *relationArgs) UnmarshalJSON(text []byte) (err error) {
	var arguments map[string]json.RawMessage
	if err := json.Unmarshal(text, &arguments); err != nil {
		return err
	}
	if a.from, err = decodeKey(&a.relation.From, arguments); err != nil {
		return err
	}
	if a.to, err = decodeKey(&a.relation.To, arguments); err != nil {
		return err
	}
	return json.Unmarshal(text, &a.unrelateArgs)
}

// encodeKey returns a key in JSON, in base64 if the keys of such objects need not be valid UTF-8.
func encodeKey(o *tables.AnyObject, key string) (text []byte) {
	if o.TextKeys() {
		text, _ = json.Marshal(key) // a string can be marshalled
	} else {
		text, _ = json.Marshal([]byte(key))
	}
	return text
}

func decodeKey(end *tables.End, arguments map[string]json.RawMessage) (key string, err error) {
	if text := arguments[end.Argument]; end.Object().TextKeys() {
		err = json.Unmarshal(text, &key)
	} else {
		var b []byte
		err = json.Unmarshal(text, &b)
		key = string(b)
	}
	return key, err
}
