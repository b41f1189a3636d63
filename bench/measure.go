package main

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"
)

// cost is what doing something once takes of this process: time on the processor, of all threads and so with garbage collection, and allocations.
type cost struct {
	cpu    time.Duration
	allocs float64
}

// rounds is how often everything is measured, in turns: what is measured beside something else saw the same neighbours on the machine.
const rounds = 7

// slot is about how long something is done at a time.
const slot = 60 * time.Millisecond

// turns measures all of these, again and again in turns, and returns the costs in each round.
func turns(all ...func()) [][]cost {
	counts := make([]int, len(all))
	for i, do := range all {
		do() // what is made once is made now
		begin := time.Now()
		do()
		counts[i] = max(1, int(slot/max(time.Since(begin), time.Microsecond)))
	}
	costs := make([][]cost, rounds)
	for r := range costs {
		for i, do := range all {
			costs[r] = append(costs[r], measure(counts[i], do))
		}
	}
	return costs
}

func measure(n int, do func()) cost {
	runtime.GC() // nobody pays for what another left
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	cpu := used()
	for range n {
		do()
	}
	cpu = used() - cpu
	runtime.ReadMemStats(&after)
	return cost{cpu / time.Duration(n), float64(after.Mallocs-before.Mallocs) / float64(n)}
}

// used is the time on the processor that this process has used so far.
func used() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err) // it can't fail for the process itself
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// ratio is the median over the rounds of what i takes as a multiple of what j takes in the same round.
func ratio(costs [][]cost, i, j int) float64 {
	return median(costs, func(round []cost) float64 { return float64(round[i].cpu) / float64(round[j].cpu) })
}

func median(costs [][]cost, of func(round []cost) float64) float64 {
	values := make([]float64, len(costs))
	for i, round := range costs {
		values[i] = of(round)
	}
	return middle(values)
}

func middle[T float64 | time.Duration](values []T) T {
	slices.Sort(values)
	return values[len(values)/2]
}

func geometricMean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += math.Log(v)
	}
	return math.Exp(sum / float64(len(values)))
}

// table prints rows as Markdown.
type table struct{ w *tabwriter.Writer }

func newTable(title string, columns ...string) table {
	fmt.Printf("\n## %s\n\n", title)
	t := table{tabwriter.NewWriter(os.Stdout, 0, 0, 1, ' ', 0)}
	t.row(columns...)
	lines := make([]string, len(columns))
	for i := range lines {
		lines[i] = "---"
	}
	t.row(lines...)
	return t
}

func (t table) row(cells ...string) { fmt.Fprintf(t.w, "| %s |\n", strings.Join(cells, "\t| ")) }

func (t table) end() { _ = t.w.Flush() }

func ms(d time.Duration) string { return fmt.Sprintf("%.3f ms", d.Seconds()*1000) }

func times(ratio float64) string { return fmt.Sprintf("%.1f ×", ratio) }
