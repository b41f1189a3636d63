package transfer

import (
	"slices"

	"twibase/hbase/tables"
)

// tree is that of departments as an import would make it: its rows, over what is stored.
type tree struct {
	rows map[string]item[*tables.Department]
	// order are the codes of the rows.
	order []string
	// stored are the parents of the stored departments, empty at the top.
	stored map[string]string
}

func (t *tree) add(it item[*tables.Department]) {
	if _, again := t.rows[it.value.Code]; !again {
		t.order = append(t.order, it.value.Code)
	}
	t.rows[it.value.Code] = it
}

func (t *tree) parent(code string) (parent string, exists bool) {
	if it, ok := t.rows[code]; ok {
		return value(it.value.ParentCode), true
	}
	parent, exists = t.stored[code]
	return parent, exists
}

// prune takes out rows until what remains, over what is stored, is a tree, and complains about each. It returns what remains. A row
// that is taken out makes way for what is stored under its code, or leaves others without a parent: so it looks again until
// nothing is wrong.
func (t *tree) prune(report func(*RowError) error) ([]item[*tables.Department], error) {
	for {
		wrong := t.wrong()
		if len(wrong) == 0 {
			break
		}
		for _, w := range wrong {
			if err := report(w.RowError); err != nil {
				return nil, err
			}
			delete(t.rows, w.code)
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

type wrongRow struct {
	code string
	*RowError
}

// lost is the level of departments that lie below a wrong row.
const lost = -1

// wrong returns rows of which each must go, whatever becomes of the others.
func (t *tree) wrong() (wrong []wrongRow) {
	levels := map[string]int{}
	stored := make([]string, 0, len(t.stored))
	for code := range t.stored {
		stored = append(stored, code)
	}
	// A row may push departments down that are stored.
	slices.Sort(stored)
	for _, code := range slices.Concat(t.order, stored) {
		if _, exists := t.parent(code); !exists || levels[code] != 0 {
			continue
		}
		path, row := t.climb(levels, code)
		if row != nil {
			wrong = append(wrong, *row)
			for _, code := range path {
				levels[code] = lost
			}
		}
	}
	return wrong
}

// climb goes from a department up to the first whose level is known, and notes the levels of the path. If it finds something wrong it returns
// the row to blame.
func (t *tree) climb(levels map[string]int, code string) (path []string, blame *wrongRow) {
	for at := code; at != tables.Root; {
		if levels[at] == lost {
			for _, code := range path {
				levels[code] = lost
			}
			return path, nil
		}
		if levels[at] != 0 {
			return path, t.descend(levels, path, levels[at])
		}
		if i := slices.Index(path, at); i >= 0 {
			return path, t.blame(at, "department %q would be below itself", at)
		}
		if len(path) == tables.MaxDepth {
			return path, t.blame(code, "department %q would be below more than %d others", code, tables.MaxDepth-1)
		}
		parent, exists := t.parent(at)
		if !exists {
			below := path[len(path)-1]
			it, ok := t.rows[below]
			if !ok { // Damage of the store, which is not for an import to repair.
				return path, nil
			}
			return path, &wrongRow{below, it.nowhere("parent", "department", at)}
		}
		path = append(path, at)
		at = parent
	}
	return path, t.descend(levels, path, 0)
}

// descend notes the levels of a path, upwards from a department to one below the level.
func (t *tree) descend(levels map[string]int, path []string, level int) *wrongRow {
	for i := len(path) - 1; i >= 0; i-- {
		if level++; level > tables.MaxDepth {
			return t.blame(path[i], "department %q would be below more than %d others", path[i], tables.MaxDepth-1)
		}
		levels[path[i]] = level
	}
	return nil
}

// blame returns the nearest row at a department or above it. It is nil if there is none: then what is stored is wrong by itself.
func (t *tree) blame(code, format string, args ...any) *wrongRow {
	at := code
	for range len(t.rows) + len(t.stored) { // What is stored may be damaged, and have no top.
		if it, ok := t.rows[at]; ok {
			return &wrongRow{at, it.bad("parent", format, args...)}
		}
		at, _ = t.parent(at)
	}
	return nil
}
