package transfer

import (
	"errors"
	"fmt"
	"sync"
)

// RowError is a row of a file that can't be imported.
type RowError struct {
	File string
	// Line is where the row starts, from 1 on.
	Line int
	// Column is the name of the column; empty if the row as a whole is wrong.
	Column string
	Reason string
	// Nowhere is whether the row is well-formed, but names something that exists neither in the files nor in the store.
	Nowhere bool
}

// Error implements error: file:line: column: reason.
func (e *RowError) Error() string {
	if e.Column == "" {
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Reason)
	}
	return fmt.Sprintf("%s:%d: column %s: %s", e.File, e.Line, e.Column, e.Reason)
}

// ErrNowhere is an import that is complete but for rows that point nowhere.
var ErrNowhere = errors.New("rows that point nowhere were left out")

// rowErrors collects the rows that can't be imported. It is safe for concurrent use.
type rowErrors struct {
	skipBad bool
	report  func(*RowError)

	mu           sync.Mutex
	bad, nowhere int
}

// add notes a row that is left out. It returns the error if the import must stop.
func (c *rowErrors) add(e *RowError) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e.Nowhere {
		c.nowhere++
	} else if !c.skipBad {
		return e
	} else {
		c.bad++
	}
	c.report(e)
	return nil
}

// err is the outcome of an import that went through.
func (c *rowErrors) err() error {
	if c.nowhere > 0 && !c.skipBad {
		return fmt.Errorf("%w: %d of them", ErrNowhere, c.nowhere)
	}
	return nil
}
