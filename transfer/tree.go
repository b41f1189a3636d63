package transfer

import (
	"maps"
	"slices"

	"twibase/hbase/tables"
)

type tree struct {
	rows    map[string]item[*tables.Department]
	earlier map[string][]item[*tables.Department] // replaced by later rows of the same code
	order   []string                              // codes of rows
	stored  map[string]string                     // parents by code
	levels  int                                   // set by prune
}

func newTree() *tree {
	return &tree{
		rows: map[string]item[*tables.Department]{}, earlier: map[string][]item[*tables.Department]{},
		stored: map[string]string{},
	}
}

func (t *tree) add(it item[*tables.Department]) {
	code := it.value.Code
	if row, again := t.rows[code]; again {
		t.earlier[code] = append(t.earlier[code], row)
	} else {
		t.order = append(t.order, code)
	}
	t.rows[code] = it
}

// remove replaces a department's row by the earlier one, if any.
func (t *tree) remove(code string) {
	rows := t.earlier[code]
	if len(rows) == 0 {
		delete(t.rows, code)
		return
	}
	last := len(rows) - 1
	t.rows[code], t.earlier[code] = rows[last], rows[:last]
}

func (t *tree) parent(code string) (parent string, exists bool) {
	if it, ok := t.rows[code]; ok {
		return value(it.value.ParentCode), true
	}
	parent, exists = t.stored[code]
	return parent, exists
}

// prune reports and removes wrong rows until none is left: the removal of a row may make others
// wrong. Wrong stored departments are ignored.
func (t *tree) prune(report func(*RowError) error) ([]item[*tables.Department], error) {
	codes := slices.Concat(t.order, slices.Sorted(maps.Keys(t.stored))) // a row may move stored departments too far down
	for {
		wrong := map[string]bool{}
		t.levels = 0
		for _, code := range codes {
			row, rowError := t.check(code, wrong)
			if rowError == nil {
				continue
			}
			if err := report(rowError); err != nil {
				return nil, err
			}
			wrong[row] = true
		}
		if len(wrong) == 0 {
			break
		}
		for code := range wrong {
			t.remove(code)
		}
	}
	var kept []item[*tables.Department]
	for _, code := range t.order {
		if it, ok := t.rows[code]; ok {
			kept = append(kept, it)
		}
	}
	return kept, nil
}

// check returns the row to blame, if any, for a path that is too long, has a cycle or does not
// reach the top.
func (t *tree) check(code string, wrong map[string]bool) (row string, _ *RowError) {
	var path []string
	for at := code; at != tables.Root; {
		parent, exists := t.parent(at)
		switch {
		case wrong[at]: // reported
			return "", nil
		case !exists:
			if len(path) == 0 { // removed row
				return "", nil
			}
			below := path[len(path)-1]
			if it, ok := t.rows[below]; ok {
				return below, it.dangling("parent", "department", at)
			}
			return "", nil // not repaired by an import
		case slices.Contains(path, at):
			return t.blame(at, "department %q would be below itself", at)
		case len(path) == tables.MaxDepth:
			return t.blame(code, "department %q would be below more than %d others", code, tables.MaxDepth-1)
		}
		path = append(path, at)
		at = parent
	}
	t.levels = max(t.levels, len(path))
	return "", nil
}

func (t *tree) blame(code, format string, args ...any) (row string, _ *RowError) {
	at := code
	for range len(t.rows) + len(t.stored) { // they may have a cycle
		if it, ok := t.rows[at]; ok {
			return at, it.bad("parent", format, args...)
		}
		at, _ = t.parent(at)
	}
	return "", nil
}
