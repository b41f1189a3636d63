package cluster

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tsuna/gohbase"

	"twibase/hbase"
)

// javaErrors translates HBase's errors by their text. gohbase has no error values for them.
var javaErrors = []struct {
	text string
	err  error
}{
	{"TableNotFoundException", hbase.ErrTableNotFound},
	{"TableExistsException", hbase.ErrTableExists},
	{"NoSuchColumnFamilyException", hbase.ErrFamilyNotFound},
	{"Field is not a long", hbase.ErrNotLong},
	{"exceeds limit of", hbase.ErrCellTooLarge}, // DoNotRetryIOException: Cell[…] with size …
	{"FailedSanityCheckException", hbase.ErrInvalid},
	{"DoNotRetryIOException", hbase.ErrInvalid},
	{"IllegalArgumentException", hbase.ErrInvalid},
}

// translate returns an error of package hbase. Unknown errors are [hbase.ErrUnavailable]; gohbase
// has retried most of them until the deadline.
func translate(err error, table string) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, gohbase.TableNotFound):
		return fmt.Errorf("%w: %s", hbase.ErrTableNotFound, table)
	case errors.Is(err, gohbase.ErrClientClosed):
		return hbase.ErrClosed
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("hbase: table %s: %w", table, err)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%w: table %s is disabled, or a server does not answer: %w", hbase.ErrUnavailable, table, err)
	}
	text := firstLines(err.Error())
	for _, known := range javaErrors {
		if strings.Contains(text, known.text) {
			return fmt.Errorf("%w: table %s: %s", known.err, table, text)
		}
	}
	return fmt.Errorf("%w: table %s: %s", hbase.ErrUnavailable, table, text)
}

const maxErrorText = 200

// firstLines cuts off a Java stack trace, and the table description at the end of some messages.
func firstLines(text string) string {
	text, _, _ = strings.Cut(text, "\n\tat ")
	if _, said, java := strings.Cut(text, ":\n"); java {
		text = said // the message repeats the class name
	}
	text = strings.ReplaceAll(strings.TrimSpace(text), "\n", " ")
	if len(text) > maxErrorText {
		text = strings.ToValidUTF8(text[:maxErrorText], "") + " …"
	}
	return text
}
