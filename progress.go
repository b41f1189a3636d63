package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progressEvery is how often a line is written where there is no terminal.
const progressEvery = 10 * time.Second

// progress tells how many rows of which table were read: how many there are nobody knows. A terminal gets a bar, anything else plain lines.
type progress struct {
	out         io.Writer
	bar         *progressbar.ProgressBar
	table       string
	rows, all   int
	began, told time.Time
}

func newProgress(out io.Writer) *progress {
	p := &progress{out: out, began: time.Now(), told: time.Now()}
	if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		// By itself, between one read and the next, it would be drawn over what is written meanwhile, and after the end.
		p.bar = progressbar.NewOptions64(-1, progressbar.OptionSetSpinnerChangeInterval(0), progressbar.OptionSetWriter(out), progressbar.OptionShowCount(),
			progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())
	}
	return p
}

// read notes that so many more rows of a table were read.
func (p *progress) read(table string, rows int) {
	if table != p.table {
		if p.table, p.rows = table, 0; p.bar != nil {
			p.bar.Describe(table)
		}
	}
	p.rows += rows
	p.all += rows
	switch {
	case p.bar != nil:
		_ = p.bar.Add(rows)
	case time.Since(p.told) > progressEvery:
		p.told = time.Now()
		fmt.Fprintf(p.out, "%s: %d rows\n", table, p.rows)
	}
}

// above writes something where the bar is.
func (p *progress) above(write func()) {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
	write()
}

// end takes the bar away and, if all was read, says how long it took.
func (p *progress) end(err error) {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
	if err == nil {
		fmt.Fprintf(p.out, "%d rows looked at in %.1f s\n", p.all, time.Since(p.began).Seconds())
	}
}
