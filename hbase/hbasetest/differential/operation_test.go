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

func (p rowRange) name(table string) string {
	if table == missing {
		return missing + p.table
	}
	return p.table
}

func (p rowRange) bound(row, none string) string {
	if row == "" {
		return none
	}
	return p.prefix + row
}

func (p rowRange) mutation(m hbase.Mutation) hbase.Mutation {
	switch m := m.(type) {
	case hbase.Put:
		return p.put(m)
	case hbase.Delete:
		m.Table, m.Row = p.name(m.Table), p.prefix+m.Row
		return m
	}
	panic("sealed")
}

func (p rowRange) put(m hbase.Put) hbase.Put {
	m.Table, m.Row = p.name(m.Table), p.prefix+m.Row
	return m
}

func (p rowRange) get(g hbase.Get) hbase.Get {
	g.Table, g.Row = p.name(g.Table), p.prefix+g.Row
	return g
}

func (p rowRange) scan(s hbase.Scan) hbase.Scan {
	first, behind := p.prefix, hbase.PrefixEnd(p.prefix)
	s.Table = p.name(s.Table)
	if s.Reversed {
		s.Start, s.Stop = p.bound(s.Start, behind), p.bound(s.Stop, first)
	} else {
		s.Start, s.Stop = p.bound(s.Start, first), p.bound(s.Stop, behind)
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

func (o operation) alone(ctx context.Context, store hbase.Store, p rowRange) string {
	switch {
	case o.check != nil:
		done, err := store.CheckAndPut(ctx, o.check.check, p.put(o.check.put))
		return answer(fmt.Sprint(done), err)
	default:
		return scanned(ctx, store, p.scan(*o.scan), p)
	}
}

func scanned(ctx context.Context, store hbase.Store, scan hbase.Scan, p rowRange) string {
	var text strings.Builder
	for row, err := range store.Scan(ctx, scan) {
		if err != nil {
			return answer("", err)
		}
		fmt.Fprintf(&text, "row %q %s", strings.TrimPrefix(row.Key, p.prefix), cells(row.Cells))
	}
	return text.String()
}
