package differential

import (
	"context"
	"fmt"
	"strings"

	"twibase/hbase"
)

// An operation has one field. Its rows lack the prefix of the sequence. Its table is missing, or
// empty for that of the sequence.
type operation struct {
	mutation hbase.Mutation
	check    *checkAndPut
	get      *hbase.Get
	scan     *hbase.Scan
}

type checkAndPut struct {
	check hbase.Check
	put   hbase.Put
}

type rowRange struct{ table, prefix string }

const missing = "missing"

func (r rowRange) name(table string) string {
	if table == missing {
		return missing + r.table
	}
	return r.table
}

func (r rowRange) bound(row, none string) string {
	if row == "" {
		return none
	}
	return r.prefix + row
}

func (r rowRange) mutation(m hbase.Mutation) hbase.Mutation {
	switch m := m.(type) {
	case hbase.Put:
		return r.put(m)
	case hbase.Delete:
		m.Table, m.Row = r.name(m.Table), r.prefix+m.Row
		return m
	}
	panic("sealed")
}

func (r rowRange) put(m hbase.Put) hbase.Put {
	m.Table, m.Row = r.name(m.Table), r.prefix+m.Row
	return m
}

func (r rowRange) get(g hbase.Get) hbase.Get {
	g.Table, g.Row = r.name(g.Table), r.prefix+g.Row
	return g
}

func (r rowRange) scan(s hbase.Scan) hbase.Scan {
	first, behind := r.prefix, hbase.PrefixEnd(r.prefix)
	s.Table = r.name(s.Table)
	if s.Reversed {
		s.Start, s.Stop = r.bound(s.Start, behind), r.bound(s.Stop, first)
	} else {
		s.Start, s.Stop = r.bound(s.Start, first), r.bound(s.Stop, behind)
	}
	return s
}

func (o operation) String() string {
	switch {
	case o.mutation != nil:
		return fmt.Sprintf("%#v", o.mutation)
	case o.check != nil:
		return fmt.Sprintf("%#v %#v", o.check.check, o.check.put)
	case o.get != nil:
		return fmt.Sprintf("%#v", *o.get)
	default:
		return fmt.Sprintf("%#v", *o.scan)
	}
}

func printed(sequence []operation) string {
	lines := make([]string, len(sequence))
	for i, o := range sequence {
		lines[i] = o.String()
	}
	return strings.Join(lines, "\n")
}

func (o operation) alone(ctx context.Context, store hbase.Store, r rowRange) string {
	switch {
	case o.check != nil:
		done, err := store.CheckAndPut(ctx, o.check.check, r.put(o.check.put))
		return answer(fmt.Sprint(done), err)
	default:
		return scanned(ctx, store, r.scan(*o.scan), r)
	}
}

func scanned(ctx context.Context, store hbase.Store, scan hbase.Scan, r rowRange) string {
	var text strings.Builder
	for row, err := range store.Scan(ctx, scan) {
		if err != nil {
			return answer("", err)
		}
		fmt.Fprintf(&text, "row %q %s", strings.TrimPrefix(row.Key, r.prefix), cells(row.Cells))
	}
	return text.String()
}
