package command

import (
	"fmt"
	"io"
	"time"
)

// progressInterval is how often a line is written.
const progressInterval = 10 * time.Second

// progress prints how many rows of which table were read. The total is unknown.
type progress struct {
	out         io.Writer
	table       string
	rows, total int // of the table, of all tables
	start, last time.Time
}

func newProgress(out io.Writer) *progress {
	now := time.Now()
	return &progress{out: out, start: now, last: now}
}

// read adds rows of a table.
func (p *progress) read(table string, rows int) {
	if table != p.table {
		p.table, p.rows = table, 0
	}
	p.rows += rows
	p.total += rows
	if time.Since(p.last) > progressInterval {
		p.last = time.Now()
		fmt.Fprintf(p.out, "%s: %d rows\n", table, p.rows)
	}
}

// end prints a summary.
func (p *progress) end() {
	fmt.Fprintf(p.out, "%d rows read in %.1f s\n", p.total, time.Since(p.start).Seconds())
}
