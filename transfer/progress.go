package transfer

import (
	"errors"
	"fmt"
	"sync"
)

// ErrDangling is an import that is complete but for dangling rows.
var ErrDangling = errors.New("dangling rows were left out")

// progress counts and reports the rows of an import, one call at a time. It is safe for concurrent use.
type progress struct {
	mu      sync.Mutex
	options *Options
	Summary
}

// read notes that more rows of a file were read.
func (p *progress) read(file string, rows int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.Rows += rows; p.options.Read != nil {
		p.options.Read(file, rows)
	}
}

// skip notes a row that is left out. It returns the error if the import must stop.
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

// err is the outcome of an import that came to its end.
func (p *progress) err() error {
	if p.Dangling > 0 && !p.options.SkipBad {
		return fmt.Errorf("%w: %d of them", ErrDangling, p.Dangling)
	}
	return nil
}
