package main

import (
	"fmt"
	"testing"

	"twibase/hbase"
)

// tinyScales are fast, but give each query a result.
var tinyScales = map[string]int{"plays": 20_000, "owners": 25, "object": 25, "relation": 25, "inbox": 60}

func TestDesignsReturnTheExpectedResults(t *testing.T) {
	for _, c := range comparisons {
		t.Run(c.name, func(t *testing.T) {
			trial := c.at(tinyScales[c.name])
			err := withDesigns(t.Context(), &embeddedEngine{}, trial.designs, func(store hbase.Store) error {
				for _, q := range trial.queries {
					t.Run(q.name, func(t *testing.T) {
						for _, size := range q.sizesOrOne() {
							if _, err := check(t.Context(), store, trial, q, size); err != nil {
								t.Error(err)
							}
						}
					})
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestQueriesHaveResults(t *testing.T) {
	for _, c := range comparisons {
		for _, q := range c.at(tinyScales[c.name]).queries {
			if q.want == nil {
				continue
			}
			t.Run(c.name+": "+q.name, func(t *testing.T) {
				results := map[string]bool{}
				for _, size := range q.sizesOrOne() {
					for instance := range q.instances {
						results[fmt.Sprint(q.want(size, instance))] = true
					}
				}
				if results["[]"] && len(results) == 1 {
					t.Error("all results are empty: a design that finds nothing would pass")
				}
			})
		}
	}
}

func TestVersionsLoseEntriesOfEqualTimestamps(t *testing.T) {
	designs := []design{{tables: []hbase.Table{versionsTable, listTable}}}
	err := withDesigns(t.Context(), &embeddedEngine{}, designs, func(store hbase.Store) error {
		all, err := countLost(t.Context(), store, 2000)
		for _, l := range all {
			if l.columns != l.entries {
				t.Errorf("%d entries per second: columns keep %d of %d", l.rate, l.columns, l.entries)
			}
		}
		if busiest := all[len(all)-1]; busiest.versions > busiest.entries*3/4 {
			t.Errorf("%d entries per second: versions keep %d of %d, more than there are milliseconds",
				busiest.rate, busiest.versions, busiest.entries)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
