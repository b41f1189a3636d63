package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/tsuna/gohbase"

	"twibase/hbase"
)

var exceptions = map[string]error{
	"TableNotFoundException":      hbase.ErrTableNotFound,
	"TableExistsException":        hbase.ErrTableExists,
	"TableNotEnabledException":    errNotEnabled,
	"NamespaceNotFoundException":  errNoNamespace,
	"NamespaceExistException":     errNamespaceExists,
	"NoSuchColumnFamilyException": hbase.ErrFamilyNotFound,
	"AccessDeniedException":       hbase.ErrDenied,
	"FailedSanityCheckException":  hbase.ErrInvalid,
	"DoNotRetryIOException":       hbase.ErrRejected, // e.g. a read-only region; or tooLarge
	"IllegalArgumentException":    hbase.ErrInvalid,
}

// tooLarge matches the end of a DoNotRetryIOException's message, after any row key.
var tooLarge = regexp.MustCompile(`(?m) with size \d+ exceeds limit of \d+ bytes$`)

// busyExceptions are temporary: their calls are retried.
var busyExceptions = map[string]bool{
	"CallDroppedException":      true,
	"CallQueueTooBigException":  true,
	"MultiActionResultTooLarge": true, // for the calls of a multi whose results no longer fit into the response
	"PleaseHoldException":       true,
	"RegionOpeningException":    true,
	"RegionTooBusyException":    true,
	"RetryImmediatelyException": true,
	"RpcThrottlingException":    true,
}

var exceptionClass = regexp.MustCompile(`(?:HBase Java|procedure) exception:? (?:[\w$]+\.)*([\w$]+)`)

func exceptionOf(err error) string {
	if err == nil {
		return ""
	}
	if found := exceptionClass.FindStringSubmatch(err.Error()); found != nil {
		return found[1]
	}
	return ""
}

func busy(err error) bool { return busyExceptions[exceptionOf(err)] }

func newException(class, stack string) error {
	return fmt.Errorf("HBase Java exception %s:\n%s", class, stack)
}

type location struct{ table, server string }

func (l location) String() string {
	if l.server == "" {
		return "table " + l.table
	}
	return "table " + l.table + ", server " + l.server
}

// translate returns the error of package hbase. Unknown exceptions are [hbase.ErrUnavailable]:
// gohbase has retried most of them until the deadline.
func translate(err error, at location) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, gohbase.TableNotFound):
		return fmt.Errorf("%w: %s", hbase.ErrTableNotFound, at.table)
	case errors.Is(err, gohbase.ErrClientClosed):
		return hbase.ErrClosed
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("hbase: %s: %w", at, err)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%w: %s: the table is disabled, or a server does not answer: %w", hbase.ErrUnavailable, at, err)
	}
	class, text := exceptionOf(err), firstLines(err.Error())
	known := cmp.Or(exceptions[class], hbase.ErrUnavailable)
	switch class {
	case "AccessDeniedException":
		if d, ok := parseDenial(err.Error()); ok {
			text = class + ": " + d.String()
		}
	case "DoNotRetryIOException":
		if tooLarge.MatchString(err.Error()) {
			known = hbase.ErrCellTooLarge
		}
	}
	translated := fmt.Errorf("%w: %s: %s", known, at, text)
	if class == "RpcThrottlingException" {
		if after := waitTime(text); after > 0 {
			return throttled{translated, after}
		}
	}
	return translated
}

type throttled struct {
	error
	after time.Duration
}

func (t throttled) Unwrap() error { return t.error }

func (t throttled) RetryAfter() time.Duration { return t.after }

var (
	waitText  = regexp.MustCompile(`RpcThrottlingException: .* - wait ((?:\d+(?:hrs?|mins?|sec|ms)(?:, )?)+)`)
	waitUnits = strings.NewReplacer("hrs", "h", "hr", "h", "mins", "m", "min", "m", "sec", "s", ", ", "")
)

// waitTime parses "- wait 1mins, 2sec".
func waitTime(text string) time.Duration {
	found := waitText.FindStringSubmatch(text)
	if found == nil {
		return 0
	}
	wait, _ := time.ParseDuration(waitUnits.Replace(found[1]))
	return wait
}

const maxErrorText = 200

// firstLines removes a Java stack trace, and gohbase's first line, which only repeats the class. It
// cuts long texts.
func firstLines(text string) string {
	text, _, _ = strings.Cut(text, "\n\tat ")
	if _, message, java := strings.Cut(text, ":\n"); java {
		text = message
	}
	text = strings.ReplaceAll(strings.TrimSpace(text), "\n", " ")
	if len(text) > maxErrorText {
		text = strings.ToValidUTF8(text[:maxErrorText], "") + " …"
	}
	return text
}
