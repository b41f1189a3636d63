// Package logging makes the loggers of the process.
package logging

import (
	"io"
	"os"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/term"
)

// New returns a logger that writes a JSON object per line to out, or readable text if out is a terminal.
func New(out io.Writer, level zerolog.Level) zerolog.Logger {
	return zerolog.New(format(out, out)).Level(level).With().Timestamp().Logger()
}

// format returns a writer of JSON lines that writes to next, as readable text if out is a terminal.
func format(out, next io.Writer) io.Writer {
	if file, ok := out.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		return zerolog.ConsoleWriter{Out: next, TimeFormat: time.TimeOnly}
	}
	return next
}
