package logging

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

func TestQueueKeepsEveryLine(t *testing.T) {
	var text strings.Builder
	q := NewQueue(&text)
	var all sync.WaitGroup
	for who := range 8 {
		all.Go(func() {
			for i := range queuedLines / 8 {
				fmt.Fprintf(q, "%d %d\n", who, i)
			}
		})
	}
	all.Wait()
	q.Close()
	next := map[int]int{}
	for line := range strings.Lines(text.String()) {
		var who, i int
		if _, err := fmt.Sscanf(line, "%d %d\n", &who, &i); err != nil || next[who] != i {
			t.Fatalf("%q comes after %d lines: %v", line, next[who], err)
		}
		next[who]++
	}
	for who := range 8 {
		if next[who] != queuedLines/8 {
			t.Errorf("%d lines of %d come", next[who], queuedLines/8)
		}
	}
}
