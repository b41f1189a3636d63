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

// The CPU time of a cost includes all threads and garbage collection.
type cost struct {
	cpu    time.Duration
	allocs float64
}

// Functions take turns in each round, so that all see the same load.
const rounds = 7

const slot = 60 * time.Millisecond

func takeTurns(all ...func()) [][]cost {
	counts := make([]int, len(all))
	for i, do := range all {
		do()
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
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	cpu := cpuTime()
	for range n {
		do()
	}
	cpu = cpuTime() - cpu
	runtime.ReadMemStats(&after)
	return cost{cpu / time.Duration(n), float64(after.Mallocs-before.Mallocs) / float64(n)}
}

func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func ratio(costs [][]cost, i, j int) float64 {
	return medianOf(costs, func(round []cost) float64 { return float64(round[i].cpu) / float64(round[j].cpu) })
}

func medianOf(costs [][]cost, of func(round []cost) float64) float64 {
	values := make([]float64, len(costs))
	for i, round := range costs {
		values[i] = of(round)
	}
	return median(values)
}

func median[T float64 | time.Duration](values []T) T {
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
