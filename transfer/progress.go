package transfer

import (
	"errors"
	"fmt"
	"sync"
)

// ErrDangling means that an import has skipped dangling rows, and is otherwise complete.
var ErrDangling = errors.New("rows that name missing objects were skipped")

// progress is safe for concurrent use.
type progress struct {
	mu      sync.Mutex
	options *Options
	Summary
}

func (p *progress) read(file string, rows int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.Rows += rows; p.options.Read != nil {
		p.options.Read(file, rows)
	}
}

// skip returns e if e ends the import.
func (p *progress) skip(e *RowError) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case e.Dangling:
		p.Dangling++
	case p.options.SkipBad:
		p.Bad++
	default:
		return e
	}
	if p.options.Skipped != nil {
		p.options.Skipped(e)
	}
	return nil
}

func (p *progress) err() error {
	if p.Dangling > 0 && !p.options.SkipBad {
		return fmt.Errorf("%w: %d", ErrDangling, p.Dangling)
	}
	return nil
}
