package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
)

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

func (c comparison) markdown(plot, figures string) string {
	var b strings.Builder
	queries := c.at(c.scales[0]).queries
	fmt.Fprintf(&b, "![%s](%s)\n\n", c.name, plot)
	if slices.ContainsFunc(queries, func(q query) bool { return q.axis != "" }) {
		fmt.Fprintf(&b, "Where a query has sizes, the plot is of %d %s. ", c.scales[len(c.scales)-1], c.scale)
	}
	fmt.Fprintf(&b, "[All figures](%s). %s\n\n", figures, machine())
	return b.String()
}

func machine() string {
	cpu := "CPUs"
	if info, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		if model := regexp.MustCompile(`(?m)^model name\s*: (.*)$`).FindSubmatch(info); model != nil {
			cpu = "× " + string(model[1])
		}
	}
	return fmt.Sprintf("Measured on %s, %d %s, %s.",
		time.Now().Format(time.DateOnly), runtime.NumCPU(), cpu, runtime.Version())
}

func (c comparison) writeFigures(file string, results []result) error {
	head := []string{"query", c.scale, "size", "design", "rows", "bytes"}
	for _, r := range results {
		head = append(head, r.engine.name()+": RPCs", r.engine.name()+": µs", r.engine.name()+": CPU µs")
	}
	records := [][]string{append(head, "servers: CPU µs")}
	for i, m := range results[0].measured {
		for d, cost := range m.costs {
			if cost == nil {
				continue
			}
			record := []string{
				m.query.name, fmt.Sprint(m.scale), fmt.Sprint(m.size), results[0].designs[d],
				number(cost.rows), number(cost.bytes),
			}
			for _, r := range results {
				of := r.measured[i].costs[d]
				record = append(record, number(of.rpcs), micros(of.time), micros(of.own))
			}
			records = append(records, append(record, micros(results[len(results)-1].measured[i].costs[d].servers)))
		}
	}
	var b bytes.Buffer
	if err := csv.NewWriter(&b).WriteAll(records); err != nil {
		return err
	}
	return os.WriteFile(file, b.Bytes(), 0o644)
}

func number(x float64) string {
	if x == float64(int(x)) {
		return fmt.Sprintf("%.0f", x)
	}
	return digits(x)
}

func micros(d time.Duration) string { return digits(float64(d) / float64(time.Microsecond)) }

func digits(x float64) string {
	if x < 9.95 {
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.0f", x)
}
