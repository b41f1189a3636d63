package command

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progressInterval is how often a line is written if the output is not a terminal.
const progressInterval = 10 * time.Second

// progress shows how many rows of which table were read: as a bar on a terminal, otherwise as lines. The total
// is unknown.
type progress struct {
	out         io.Writer
	bar         *progressbar.ProgressBar // nil unless out is a terminal
	table       string
	rows, total int // of the table, of all tables
	start, last time.Time
}

func newProgress(out io.Writer) *progress {
	p := &progress{out: out, start: time.Now(), last: time.Now()}
	if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.bar = progressbar.NewOptions64(-1,
			progressbar.OptionSetSpinnerChangeInterval(0), // drawn by Add only, never over other output
			progressbar.OptionSetWriter(out), progressbar.OptionShowCount(),
			progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())
	}
	return p
}

// read adds rows of a table.
func (p *progress) read(table string, rows int) {
	if table != p.table {
		if p.table, p.rows = table, 0; p.bar != nil {
			p.bar.Describe(table)
		}
	}
	p.rows += rows
	p.total += rows
	switch {
	case p.bar != nil:
		_ = p.bar.Add(rows)
	case time.Since(p.last) > progressInterval:
		p.last = time.Now()
		fmt.Fprintf(p.out, "%s: %d rows\n", table, p.rows)
	}
}

// above lets write print where the bar is.
func (p *progress) above(write func()) {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
	write()
}

// end removes the bar and, without an error, prints a summary.
func (p *progress) end(err error) {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
	if err == nil {
		fmt.Fprintf(p.out, "%d rows read in %.1f s\n", p.total, time.Since(p.start).Seconds())
	}
}
