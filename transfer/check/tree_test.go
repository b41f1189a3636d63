package check_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"twibase/hbase"
	"twibase/transfer/check"
)

// The department may be restored from a backup later.
func TestRepairKeepsTheChildrenOfAnUnreadableDepartment(t *testing.T) {
	for name, damage := range map[string]hbase.Mutation{
		"the name is unreadable":   attribute("departments", "top", "name", "\xff"),
		"the parent is unreadable": attribute("departments", "top", "parent", "\xff"),
	} {
		t.Run(name, func(t *testing.T) {
			store := open(t)
			write(t, store, damage)
			before := dump(t, store)
			for _, line := range checkStore(t, store) {
				if !strings.Contains(line, "is unreadable") {
					t.Errorf("got violation %q, want only unreadable ones", line)
				}
			}
			result, err := (check.Checker{Store: store}).RepairAll(t.Context())
			if err != nil || result.Left == 0 || result.Left != result.Found {
				t.Errorf("got %+v, error %v; want all violations left", result, err)
			}
			if diff := cmp.Diff(before, dump(t, store)); diff != "" {
				t.Errorf("(-before +repaired):\n%s", diff)
			}
		})
	}
}
