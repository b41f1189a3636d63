package command

import (
	"fmt"
	"io"
)

// output is standard output. It keeps the first error of a write, so that commands need not return
// it, and writes nothing afterwards.
type output struct {
	io.Writer
	err error
}

func (o *output) Write(b []byte) (n int, err error) {
	if o.err != nil {
		return 0, o.err
	}
	if n, err = o.Writer.Write(b); err != nil {
		o.err = fmt.Errorf("cannot write to standard output: %w", err)
	}
	return n, o.err
}
