package main

import (
	"fmt"
	"slices"
	"strings"
)

type table struct {
	columns []string
	order   []string
	turns   map[string][][]float64
}

func newTable(columns ...string) *table {
	return &table{columns: columns, turns: map[string][][]float64{}}
}

func (t *table) add(name string, figures ...float64) {
	if t.turns[name] == nil {
		t.order = append(t.order, name)
	}
	t.turns[name] = append(t.turns[name], figures)
}

func (t *table) print() {
	fmt.Printf("| %s |\n%s|\n", strings.Join(t.columns, " | "), strings.Repeat("|---", len(t.columns)))
	for _, name := range t.order {
		fmt.Printf("| %s |", name)
		for figure := range t.turns[name][0] {
			var all []float64
			for _, turn := range t.turns[name] {
				all = append(all, turn[figure])
			}
			slices.Sort(all)
			fmt.Printf(" %.3g (%.3g–%.3g) |", all[len(all)/2], all[0], all[len(all)-1])
		}
		fmt.Println()
	}
	fmt.Println()
}
