package embedded

import (
	"encoding/binary"
	"slices"

	"twibase/hbase"
)

// planned is what is to be read for a Get.
type planned struct {
	// key begins with the prefix of the row's keys, of the given length; with what follows it is the cache's.
	key []byte
	row int
	sel *selection // nil if the Get can't be served
	slot
	// change is the count of the row's changes before anything was read, kept what the cache has of it.
	change change
	kept   *kept
}

// cached reports whether the cache may have the answer.
func (p *planned) cached() bool { return len(p.key) > p.row }

// plan is what one call of Get is to read. Its memory is used again.
type plan struct {
	all  []planned
	keys []byte
	// missing are the indexes of what the cache does not have, order how they are read.
	missing []int32
	order   []place
}

// maxPlan is how many Gets the memory is kept for.
const maxPlan = 4096

// release gives the plan back.
func (p *plan) release(s *Store) {
	if len(p.all) <= maxPlan {
		clear(p.all)
		s.plans.Put(p)
	}
}

// make plans the gets. Those that can't be served get their error at once, and no selection.
func (p *plan) make(s *Store, gets []hbase.Get, results []hbase.Result) {
	p.all, p.keys = slices.Grow(p.all[:0], len(gets))[:len(gets)], p.keys[:0]
	var t *table
	var sel *selection
	for i := range gets {
		g, err := &gets[i], error(nil)
		if sel != nil && alike(g, &gets[i-1]) {
			err = hbase.Get{Row: g.Row}.Validate() // all else was valid
		} else {
			t, sel, err = s.resolve(g)
		}
		if err != nil {
			results[i].Err, sel = err, nil
			p.all[i] = planned{}
			continue
		}
		start := len(p.keys)
		p.keys = appendRow(p.keys, t.id, g.Row)
		row := len(p.keys) - start
		if sel.number != 0 && g.Versions <= 1 && g.Time == (hbase.TimeRange{}) && s.cache != nil {
			p.keys = appendAsked(p.keys, sel, g.Page)
		}
		p.all[i] = planned{key: p.keys[start:len(p.keys):len(p.keys)], row: row, sel: sel, slot: slotOf(t.id, g.Row)}
	}
}

// alike reports whether two Gets differ in their rows alone.
func alike(a, b *hbase.Get) bool {
	return a.Table == b.Table && a.Columns == b.Columns && a.Page == b.Page && a.Versions == b.Versions && a.Time == b.Time
}

// appendAsked appends what is asked for of a row.
func appendAsked(dst []byte, sel *selection, page hbase.Page) []byte {
	dst = binary.BigEndian.AppendUint32(dst, sel.number)
	dst = binary.AppendUvarint(dst, uint64(page.Limit))
	dst = binary.AppendUvarint(dst, uint64(len(page.Start)))
	return append(append(dst, page.Start...), page.Stop...)
}

// sort makes the order in which what is missing is read.
func (p *plan) sort() {
	p.missing, p.order = p.missing[:0], p.order[:0]
	for i := range p.all {
		if q := &p.all[i]; q.sel != nil && q.kept == nil {
			p.order = append(p.order, placeOf(q.key[:q.row], len(p.missing)))
			p.missing = append(p.missing, int32(i))
		}
	}
	for part := range slices.Chunk(p.order, together) {
		slices.Sort(part)
	}
}

// place is where a Get stands among those that are sorted together: how its row's keys begin, and its index among these in the last bits. To sort
// mere numbers takes a third of the time.
type place uint64

// together is how many Gets are sorted together.
const together = 1 << 16

func placeOf(row []byte, i int) place {
	var start [8]byte
	copy(start[:], row[min(tableLength/2, len(row)):]) // the first half of a table's number hardly ever differs
	return place(binary.BigEndian.Uint64(start[:])/together*together | uint64(i%together))
}

// index returns the index of the n-th Get in order.
func (p place) index(n int) int { return n/together*together + int(p%together) }

// resolve finds what a Get names.
func (s *Store) resolve(g *hbase.Get) (*table, *selection, error) {
	if err := g.Validate(); err != nil {
		return nil, nil, err
	}
	t, err := s.table(g.Table)
	if err != nil {
		return nil, nil, err
	}
	sel, err := t.selection(g.Columns)
	return t, sel, err
}
