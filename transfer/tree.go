package transfer

import (
	"maps"
	"slices"

	"twibase/hbase/tables"
)

// tree is the tree of departments as an import would make it: the rows of its files, over what is stored.
type tree struct {
	rows map[string]item[*tables.Department]
	// order are the codes of the rows.
	order []string
	// stored are the parents of the stored departments, empty at the top.
	stored map[string]string
	// levels is how deep the tree is, as far as it was checked.
	levels int
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

// prune removes rows until what remains, over what is stored, is a tree, and reports each. It returns the others. A
// row that is removed makes way for what is stored under its code, or leaves others without a parent: so prune looks
// again until nothing is wrong.
func (t *tree) prune(report func(*RowError) error) ([]item[*tables.Department], error) {
	codes := slices.Concat(t.order, slices.Sorted(maps.Keys(t.stored))) // a row may push stored departments down
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
		maps.DeleteFunc(t.rows, func(code string, _ item[*tables.Department]) bool { return wrong[code] })
	}
	var kept []item[*tables.Department]
	for _, code := range t.order {
		if it, ok := t.rows[code]; ok {
			kept = append(kept, it)
		}
	}
	return kept, nil
}

// check follows the path from a department to the top. If the path does not end there, or is too long, check returns
// the row to blame, unless the path passes a row that is wrong already.
func (t *tree) check(code string, wrong map[string]bool) (row string, _ *RowError) {
	var path []string
	for at := code; at != tables.Root; {
		parent, exists := t.parent(at)
		switch {
		case wrong[at]:
			return "", nil
		case !exists:
			if len(path) == 0 { // the row was removed
				return "", nil
			}
			below := path[len(path)-1]
			if it, ok := t.rows[below]; ok {
				return below, it.dangling("parent", "department", at)
			}
			return "", nil // the store is damaged, which is not for an import to repair
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

// blame returns the nearest row at a department or above it. There is none if what is stored is wrong by itself.
func (t *tree) blame(code, format string, args ...any) (row string, _ *RowError) {
	at := code
	for range len(t.rows) + len(t.stored) { // what is stored may be damaged, and have no top
		if it, ok := t.rows[at]; ok {
			return at, it.bad("parent", format, args...)
		}
		at, _ = t.parent(at)
	}
	return "", nil
}
