package main

import (
	"fmt"
	"testing"

	"twibase/hbase"
)

// tiny are scales at which nothing is slow, and every question still has an answer.
var tiny = map[string]int{"plays": 20_000, "owners": 25, "object": 25, "relation": 25, "inbox": 60}

func TestDesignsAnswerTheTruth(t *testing.T) {
	for _, c := range comparisons {
		t.Run(c.name, func(t *testing.T) {
			trial := c.at(tiny[c.name])
			err := loaded(t.Context(), &embeddedEngine{}, trial.designs, func(store hbase.Store) error {
				for _, q := range trial.questions {
					t.Run(q.name, func(t *testing.T) {
						for _, size := range q.atSizes() {
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

func TestQuestionsHaveDifferentAnswers(t *testing.T) {
	for _, c := range comparisons {
		for _, q := range c.at(tiny[c.name]).questions {
			if q.truth == nil {
				continue
			}
			t.Run(c.name+": "+q.name, func(t *testing.T) {
				answers := map[string]bool{}
				for _, size := range q.atSizes() {
					for instance := range q.instances {
						answers[fmt.Sprint(q.truth(size, instance))] = true
					}
				}
				if answers["[]"] && len(answers) == 1 {
					t.Error("every answer is empty: a design that finds nothing would do")
				}
			})
		}
	}
}

func TestEqualTimestamps(t *testing.T) {
	designs := []design{{tables: []hbase.Table{versionsTable, listTable}}}
	err := loaded(t.Context(), &embeddedEngine{}, designs, func(store hbase.Store) error {
		all, err := countLost(t.Context(), store, 2000)
		for _, l := range all {
			if l.columns != l.entries {
				t.Errorf("at %d a second, columns keep %d of %d", l.rate, l.columns, l.entries)
			}
		}
		if busiest := all[len(all)-1]; busiest.versions > busiest.entries*3/4 {
			t.Errorf("at %d a second, versions keep %d of %d: there are not so many milliseconds", busiest.rate, busiest.versions, busiest.entries)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
