package writers

import (
	"context"
	"encoding/json"
	"fmt"

	"golang.org/x/text/unicode/norm"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// init registers relate and unrelate for every relation in the catalogue. The ends of a relation
// are its two objects. Compensations and the deletion of an end also run unrelate, with IfMissing
// if an end's key is reusable. strict is [tables.Relation.Strict].
//
//	               relate                              unrelate
//	read           the edge, both ends                 the edge; strict: both ends, too
//	then read      -                                   IfMissing: both ends, only now
//	precondition   both ends exist                     strict: both ends exist, unless IfMissing
//	unchanged if   the edge is related                 the edge is not related, or IfMissing and
//	                                                     both ends exist
//	commit         edge: related since the commit      edge: not related
//	effects.now 0  add both members, counts +1         remove both members, counts -1
//	effects.now 1  if an end is missing: unrelate      -
//	effects.later  job and event, if declared          the same; no job if From is being deleted,
//	                                                     no event if To is
//
// If an end is deleted concurrently, relate or the deletion runs unrelate (I4 in docs/WRITES.md).
// If the deleted key is reused before that unrelate commits, relations of the new object must stay.
// So unrelate reads the edge before the ends: if an end is missing then, the edge belongs to a
// deleted object. relate also records its completion, so that a late compensation fails.
func init() {
	for _, x := range tables.Relations() {
		register(relate(x))
		register(unrelate(x))
	}
}

func reusable(x *tables.Relation) bool { return x.From.Object().Reusable || x.To.Object().Reusable }

func relate(x *tables.Relation) opType[relationArgs] {
	return opType[relationArgs]{
		name: x.Name, properties: properties{recordsCompletion: reusable(x)}, zero: relationArgs{relation: x},
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
		effects: func(a relationArgs, o operation) effects {
			compensate := unrelateNested(x, a.from, a.to, unrelateArgs{})
			return effects{
				now:   []stage{a.members(o.at, o.at, 1), {compensation{a.ends(), compensate}}},
				later: a.later(x.Job, true, o),
			}
		},
	}
}

func unrelate(x *tables.Relation) opType[relationArgs] {
	if x.Strict && !reusable(x) { // its compensation would fail with NOT_FOUND
		panic("writers: relation " + x.Name + " is strict, but the keys of its ends are not reusable")
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
		effects: func(a relationArgs, o operation) effects {
			return effects{now: []stage{a.members(a.Since, o.at, -1)}, later: a.later(x.InverseJob, false, o)}
		},
	}
}

func (a relationArgs) members(since, at int64, delta int) (s stage) {
	for _, m := range []struct {
		end                *tables.End
		owner, counterpart string
	}{{&a.relation.From, a.from, a.to}, {&a.relation.To, a.to, a.from}} {
		list, cell := m.end.List, m.end.Member(m.counterpart, millis(since), at)
		s = append(s, &member{list: list, owner: m.owner, cell: cell, removed: delta < 0})
		if list.Count != "" {
			s = append(s, countIn(list.Owner.Table, m.owner, list.Count, delta))
		}
	}
	return s
}

// The event is stored after the members and counts, so that subscribers can read these.
func (a relationArgs) later(kind tables.JobKind, related bool, o operation) (stages []stage) {
	var s stage
	if kind != "" && !a.FromDeleted {
		s = append(s, job{tables.Job{ID: o.id, Kind: kind, At: o.at, Author: a.to, Follower: a.from}})
	}
	if event := a.relation.Event; event != nil && !a.ToDeleted {
		s = append(s, put{event(a.from, a.to, related, millis(o.at))})
	}
	if len(s) > 0 {
		stages = []stage{s}
	}
	return stages
}

func unrelateNested(x *tables.Relation, from, to string, args unrelateArgs) nested {
	args.IfMissing = reusable(x)
	return nested{x.Inverse, &relationArgs{x, from, to, args}}
}

func unrelateAll(o *tables.AnyObject, key string) (s stage) {
	for _, x := range tables.Relations() {
		if x.From.Object() == o {
			s = append(s, eachCounterpart(&x.From, key, func(to string) effect {
				return unrelateNested(x, key, to, unrelateArgs{FromDeleted: x.InverseJob != ""})
			}))
		}
		if x.To.Object() == o {
			s = append(s, eachCounterpart(&x.To, key, func(from string) effect {
				return unrelateNested(x, from, key, unrelateArgs{ToDeleted: x.Event != nil})
			}))
		}
	}
	return s
}

// Relate relates two objects by their keys. It is idempotent.
func (w *Writers) Relate(ctx context.Context, x *tables.Relation, from, to string) error {
	var in input
	a := in.ends(x, from, to)
	if x.Irreflexive && a.from == a.to {
		in.bad(x.To.Input, "users can't %s themselves", x.Name)
	}
	return execute(ctx, w, &in, opTypes[x.Name], a)
}

// Unrelate is idempotent.
func (w *Writers) Unrelate(ctx context.Context, x *tables.Relation, from, to string) error {
	var in input
	return execute(ctx, w, &in, opTypes[x.Inverse], in.ends(x, from, to))
}

func (in *input) ends(x *tables.Relation, from, to string) *relationArgs {
	return &relationArgs{relation: x, from: in.end(&x.From, from), to: in.end(&x.To, to)}
}

func (in *input) end(end *tables.End, key string) string {
	switch object := end.Object(); {
	case end.Input == "":
	case object.TextKeys():
		key = norm.NFC.String(key)
		in.check(end.Input, object.CheckKey(key))
	case object.CheckKey(key) != nil:
		in.errors = append(in.errors, noSuch(object.Name, end.Input))
	}
	return key
}

type relationArgs struct {
	relation *tables.Relation
	from, to string
	unrelateArgs
}

type unrelateArgs struct {
	// Since is in milliseconds. check sets it if the relation has dates.
	Since       int64 `json:",omitempty"`
	FromDeleted bool  `json:"Left,omitempty"`
	ToDeleted   bool  `json:",omitempty"`
	IfMissing   bool  `json:"Gone,omitempty"`
}

func (a relationArgs) edge() hbase.Get { return a.relation.Get(a.from, a.to) }

func (a relationArgs) ends() references {
	return references{
		{a.relation.From.Object(), a.from, a.relation.From.Input},
		{a.relation.To.Object(), a.to, a.relation.To.Input},
	}
}

// MarshalJSON uses the names that the relation declares for its ends.
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

// UnmarshalJSON requires a.relation.
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

// encodeKey returns a key as JSON, in base64 if keys of o need not be UTF-8.
func encodeKey(o *tables.AnyObject, key string) (text []byte) {
	if o.TextKeys() {
		text, _ = json.Marshal(key)
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
