// Package scalar marshals and unmarshals the scalars of the schema.
package scalar

import (
	"io"
	"math"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"twibase/graph/apierr"
	"twibase/graph/plan"
	"twibase/hbase/tables"
)

// MarshalDateTime writes RFC 3339 in UTC, without trailing zeros.
func MarshalDateTime(t time.Time) graphql.Marshaler {
	return graphql.WriterFunc(func(w io.Writer) { _, _ = w.Write(AppendDateTime(nil, t)) })
}

// AppendDateTime appends what [MarshalDateTime] writes.
func AppendDateTime(dst []byte, t time.Time) []byte {
	return append(t.UTC().AppendFormat(append(dst, '"'), time.RFC3339Nano), '"')
}

// UnmarshalDateTime reads RFC 3339.
func UnmarshalDateTime(v any) (time.Time, error) {
	s, _ := v.(string)
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil || !tables.ValidTime(t) {
		return time.Time{}, apierr.BadUserInput("it must be a time such as 2014-12-25T08:30:00Z, from 1970 on")
	}
	return t.UTC(), nil
}

// MarshalInt writes an Int of 32 bits. It panics with an [apierr.Error] if i does not fit.
func MarshalInt(i int) graphql.Marshaler {
	mustFit(i)
	return graphql.MarshalInt(i)
}

// AppendInt appends what [MarshalInt] writes.
func AppendInt(dst []byte, i int) []byte {
	mustFit(i)
	return plan.AppendInt(dst, i)
}

func mustFit(i int) {
	if int(int32(i)) != i {
		panic(apierr.LimitExceeded("an Int", math.MaxInt32, i))
	}
}

// UnmarshalInt reads a coerced Int: see package coercion.
func UnmarshalInt(v any) (int, error) { return graphql.UnmarshalInt(v) }
