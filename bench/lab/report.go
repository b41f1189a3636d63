package main

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
)

// replacePart replaces what stands in a file between the markers of a name.
func replacePart(file, name, text string) error {
	old, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	start, end := "<!-- "+name+": written by make lab -->\n", "<!-- end of "+name+" -->"
	before, rest, found := strings.Cut(string(old), start)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		return fmt.Errorf("%s lacks the lines %q and %q", file, strings.TrimSpace(start), end)
	}
	return os.WriteFile(file, []byte(before+start+text+end+after), 0o644)
}

// markdown is the plot, and a table for each question.
func (c comparison) markdown(plot string, results []result) string {
	var b strings.Builder
	questions := c.at(c.scales[0]).questions
	fmt.Fprintf(&b, "![%s](%s)\n\n", c.name, plot)
	if questions[0].axis != "" {
		fmt.Fprintf(&b, "Where a question has sizes of its own, the plot is of %d %s. ", c.scales[len(c.scales)-1], c.scale)
	}
	b.WriteString(machine() + "\n\n")
	for _, q := range questions {
		fmt.Fprintf(&b, "<details><summary>All figures: %s</summary>\n\n", q.name)
		b.WriteString(c.table(q, results))
		b.WriteString("\n</details>\n")
	}
	return b.String() + "\n"
}

// machine is what the figures depend on.
func machine() string {
	cpu := "CPUs"
	if info, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		if model := regexp.MustCompile(`(?m)^model name\s*: (.*)$`).FindSubmatch(info); model != nil {
			cpu = "× " + string(model[1])
		}
	}
	return fmt.Sprintf("Measured on %s, %d %s, %s.", time.Now().Format(time.DateOnly), runtime.NumCPU(), cpu, runtime.Version())
}

// table has a row per scale, size and design. × says how many times as long as the last design's an answer takes.
func (c comparison) table(q question, results []result) string {
	head := []string{c.scale, q.axis, "design", "rows", "bytes"}
	for _, r := range results {
		head = append(head, r.engine.name()+": RPCs", "time", "×", "CPU")
	}
	head = append(head, "servers' CPU")
	if q.axis == "" {
		head = slices.Delete(head, 1, 2)
	}
	var b strings.Builder
	line := func(cells []string) { fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | ")) }
	line(head)
	line(slices.Repeat([]string{"---:"}, len(head)))
	for i, m := range results[0].measured {
		if m.question.name != q.name {
			continue
		}
		for d, cost := range m.costs {
			if cost == nil {
				continue
			}
			cells := []string{fmt.Sprint(m.scale), fmt.Sprint(m.size), results[0].designs[d], number(cost.rows), number(cost.bytes)}
			for _, r := range results {
				costs := r.measured[i].costs
				last := costs[len(costs)-1]
				cells = append(cells, number(costs[d].rpcs), duration(costs[d].time),
					fmt.Sprintf("%.2f", float64(costs[d].time)/float64(last.time)), duration(costs[d].own))
			}
			cells = append(cells, duration(results[len(results)-1].measured[i].costs[d].servers))
			if q.axis == "" {
				cells = slices.Delete(cells, 1, 2)
			}
			line(cells)
		}
	}
	return b.String()
}

// number has the digits that count.
func number(x float64) string {
	if x == float64(int(x)) {
		return fmt.Sprintf("%.0f", x)
	}
	return digits(x)
}

// duration has the digits that count, with a unit.
func duration(d time.Duration) string {
	for _, unit := range []struct {
		size time.Duration
		name string
	}{{time.Second, "s"}, {time.Millisecond, "ms"}} {
		if d >= unit.size*9995/10_000 { // what is rounded to 1000 of a smaller unit
			return digits(float64(d)/float64(unit.size)) + " " + unit.name
		}
	}
	return digits(float64(d)/float64(time.Microsecond)) + " µs"
}

func digits(x float64) string {
	if x < 9.95 {
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.0f", x)
}
