package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tsuna/gohbase"

	"twibase/hbase"
)

func java(class, message string) error {
	class = "org.apache.hadoop.hbase." + class
	const trace = "\n\tat org.apache.hadoop.hbase.Some.method(Some.java:1)\n\tat java.lang.Thread.run"
	return fmt.Errorf("HBase Java exception %s:\n%s: %s%s", class, class, message, trace)
}

func TestErrorsOfHBaseAreTranslated(t *testing.T) {
	noSpace := "HBase Java exception java.io.IOException:\njava.io.IOException: no space left\n\tat …"
	procedure := "procedure exception: org.apache.hadoop.hbase.TableNotFoundException: t"
	noFamily := java("regionserver.NoSuchColumnFamilyException", "Column family x does not exist")
	tooLarge := java("DoNotRetryIOException", "Cell[…] with size 10485761 exceeds limit of 10485760 bytes")
	tooLargeInALongRow := java("DoNotRetryIOException",
		"Cell["+strings.Repeat("r", maxErrorText)+"] with size 10485761 exceeds limit of 10485760 bytes")
	busyRow := java("RegionTooBusyException", "row=IllegalArgumentException")
	throttledUser := java("quotas.RpcThrottlingException", "user 'AccessDeniedException': read size limit exceeded")
	readOnlyRow := java("DoNotRetryIOException", "row 'exceeds limit of' of a read-only region")
	for name, test := range map[string]struct{ err, want error }{
		"a cell of a long row":            {tooLargeInALongRow, hbase.ErrCellTooLarge},
		"a row key like an exception":     {busyRow, hbase.ErrUnavailable},
		"a user name like an exception":   {throttledUser, hbase.ErrUnavailable},
		"a row key like a message":        {readOnlyRow, hbase.ErrRejected},
		"a missing table, by gohbase":     {gohbase.TableNotFound, hbase.ErrTableNotFound},
		"a missing table, by the master":  {java("TableNotFoundException", "t"), hbase.ErrTableNotFound},
		"a missing table, by a procedure": {errors.New(procedure), hbase.ErrTableNotFound},
		"an existing table":               {java("TableExistsException", "t"), hbase.ErrTableExists},
		"a missing family":                {noFamily, hbase.ErrFamilyNotFound},
		"a cell that is too large":        {tooLarge, hbase.ErrCellTooLarge},
		"an invalid table":                {java("FailedSanityCheckException", "…"), hbase.ErrInvalid},
		"a read-only region":              {java("DoNotRetryIOException", "region is read only"), hbase.ErrRejected},
		"a missing right":                 {java("security.AccessDeniedException", "…"), hbase.ErrDenied},
		"a quota":                         {java("quotas.RpcThrottlingException", "…"), hbase.ErrUnavailable},
		"a region with full memory":       {java("RegionTooBusyException", "…"), hbase.ErrUnavailable},
		"a full queue":                    {java("CallQueueTooBigException", "…"), hbase.ErrUnavailable},
		"a call that the server dropped":  {java("CallDroppedException", "…"), hbase.ErrUnavailable},
		"a result too large for a multi":  {java("MultiActionResultTooLarge", "…"), hbase.ErrUnavailable},
		"an error of the server's disk":   {errors.New(noSpace), hbase.ErrUnavailable},
		"a deadline is unavailable":       {context.DeadlineExceeded, hbase.ErrUnavailable},
		"a deadline stays one":            {context.DeadlineExceeded, context.DeadlineExceeded},
		"a cancelled call":                {context.Canceled, context.Canceled},
		"a closed store":                  {gohbase.ErrClientClosed, hbase.ErrClosed},
	} {
		t.Run(name, func(t *testing.T) {
			got := translate(test.err, location{"t", "127.0.0.1:16020"})
			if !errors.Is(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
			if strings.ContainsAny(got.Error(), "\n\t") {
				t.Errorf("a stack trace is left in %q", got)
			}
		})
	}
}

func TestFamiliesHaveTheirAttributes(t *testing.T) {
	common := map[string]string{"VERSIONS": "1", "DATA_BLOCK_ENCODING": "ROW_INDEX_V1", "BLOOMFILTER": "ROW"}
	if diff := cmp.Diff(common, attributes(hbase.FamilySchema{Name: "f"})); diff != "" {
		t.Error(diff)
	}
	all := maps.Clone(common)
	all["VERSIONS"], all["TTL"] = "3", "3600"
	if diff := cmp.Diff(all, attributes(hbase.FamilySchema{Name: "f", Versions: 3, TTL: time.Hour})); diff != "" {
		t.Error(diff)
	}
	const document = "../../docs/TABLES.md"
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	line := fmt.Sprintf("\n    family = {VERSIONS => %s, DATA_BLOCK_ENCODING => '%s', BLOOMFILTER => '%s'}\n",
		common["VERSIONS"], common["DATA_BLOCK_ENCODING"], common["BLOOMFILTER"])
	if !strings.Contains(string(text), line) {
		t.Errorf("%s lacks %s", document, line)
	}
}

func TestExceptionIsFoundByItsClass(t *testing.T) {
	for _, test := range []struct {
		name  string
		err   error
		class string
		busy  bool
		wait  time.Duration
	}{
		{"no error", nil, "", false, 0},
		{"another error", io.EOF, "", false, 0},
		{"a deadline", context.DeadlineExceeded, "", false, 0},
		{"a read-only region", java("DoNotRetryIOException", "region is read only"), "DoNotRetryIOException", false, 0},
		{"a nested class", java("regionserver.HRegion$Broken", "…"), "HRegion$Broken", false, 0},
		{"a procedure", errors.New("procedure exception: org.apache.hadoop.hbase.TableExistsException: t"),
			"TableExistsException", false, 0},
		{"a full queue", java("CallQueueTooBigException", "…"), "CallQueueTooBigException", true, 0},
		{"a dropped call", java("CallDroppedException", "…"), "CallDroppedException", true, 0},
		{"a region with full memory", java("RegionTooBusyException", "…"), "RegionTooBusyException", true, 0},
		{"a region that opens", java("exceptions.RegionOpeningException", "…"), "RegionOpeningException", true, 0},
		{"a quota for milliseconds", java("quotas.RpcThrottlingException", "read size limit exceeded - wait 40ms"),
			"RpcThrottlingException", true, 40 * time.Millisecond},
		{"a quota for seconds", java("quotas.RpcThrottlingException", "number of requests exceeded - wait 6sec, 20ms"),
			"RpcThrottlingException", true, 6020 * time.Millisecond},
		{"a quota for minutes", java("quotas.RpcThrottlingException", "number of requests exceeded - wait 2mins, 1sec, 0ms"),
			"RpcThrottlingException", true, 121 * time.Second},
		{"a quota for hours", java("quotas.RpcThrottlingException", "number of requests exceeded - wait 1hrs, 1mins, 0sec"),
			"RpcThrottlingException", true, 61 * time.Minute},
	} {
		t.Run(test.name, func(t *testing.T) {
			var wait time.Duration
			if r, ok := translate(test.err, location{}).(interface{ RetryAfter() time.Duration }); ok {
				wait = r.RetryAfter()
			}
			if exceptionOf(test.err) != test.class || busy(test.err) != test.busy || wait != test.wait {
				t.Errorf("got %q, busy %v, wait %v", exceptionOf(test.err), busy(test.err), wait)
			}
		})
	}
}
