package transfer

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// every is how often a line is written at most where there is no bar.
const every = 10 * time.Second

// progress tells how far an import has got: by a bar on a terminal, and by lines anywhere else. It is safe for concurrent use.
type progress struct {
	mu    sync.Mutex
	out   io.Writer
	bar   *progressbar.ProgressBar // nil: lines
	began time.Time
	told  time.Time
	file  string
	// done of size bytes were read, and so many lists rebuilt.
	done, size, lists int64
}

func newProgress(out io.Writer, files []source) *progress {
	p := &progress{out: out, began: time.Now(), told: time.Now()}
	if out == nil {
		p.out = io.Discard
	}
	for _, f := range files {
		p.size += f.size
	}
	if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.bar = progressbar.NewOptions64(p.size, progressbar.OptionSetWriter(out), progressbar.OptionShowBytes(true),
			progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())
	}
	return p
}

// line writes a line of its own, above the bar if there is one.
func (p *progress) line(format string, args ...any) {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
	fmt.Fprintf(p.out, format+"\n", args...)
	p.told = time.Now()
}

func (p *progress) start(file string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.file = filepath.Base(file); p.bar != nil {
		p.bar.Describe(p.file)
	}
}

// read notes that so many more bytes of the files were read.
func (p *progress) read(bytes int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += int64(bytes)
	if p.bar != nil {
		_ = p.bar.Add(bytes)
	} else if time.Since(p.told) > every {
		p.line("%s: %d %% of all files read", p.file, 100*p.done/max(p.size, 1))
	}
}

func (p *progress) finish(rows int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.line("%s: %d rows", p.file, rows)
}

func (p *progress) report(e *RowError) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.line("left out: %v", e)
}

// rebuilding begins the second part, whose extent nobody knows.
func (p *progress) rebuilding() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		_ = p.bar.Clear()
		p.bar = progressbar.NewOptions64(-1, progressbar.OptionSetSpinnerChangeInterval(0), progressbar.OptionSetWriter(p.out), progressbar.OptionSetDescription("rebuilding lists"),
			progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())
	}
}

// rebuilt notes that the lists of so many more owners were rebuilt.
func (p *progress) rebuilt(owners int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lists += int64(owners)
	if p.bar != nil {
		_ = p.bar.Add(owners)
	} else if time.Since(p.told) > every {
		p.line("%d lists rebuilt", p.lists)
	}
}

// end takes the bar away and, if the import went through, says how long it took.
func (p *progress) end(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		_ = p.bar.Clear()
		p.bar = nil
	}
	if err == nil || errors.Is(err, ErrNowhere) {
		p.line("%d lists rebuilt; %.1f s in all", p.lists, time.Since(p.began).Seconds())
	}
}
