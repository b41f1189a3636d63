package cluster

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tsuna/gohbase"

	"twibase/hbase"
)

func java(class, message string) error {
	class = "org.apache.hadoop.hbase." + class
	const trace = "\n\tat org.apache.hadoop.hbase.Some.method(Some.java:1)\n\tat java.lang.Thread.run"
	return fmt.Errorf("HBase Java exception %s:\n%s: %s%s", class, class, message, trace)
}

func TestTranslateErrors(t *testing.T) {
	noSpace := "HBase Java exception java.io.IOException:\njava.io.IOException: no space left\n\tat …"
	procedure := "procedure exception: org.apache.hadoop.hbase.TableNotFoundException: t"
	noFamily := java("regionserver.NoSuchColumnFamilyException", "Column family x does not exist")
	tooLarge := java("DoNotRetryIOException", "Cell[…] with size 10485761 exceeds limit of 10485760 bytes")
	notLong := java("DoNotRetryIOException", "Field is not a long, it's 1 bytes wide")
	for name, test := range map[string]struct{ err, want error }{
		"a missing table, by gohbase":     {gohbase.TableNotFound, hbase.ErrTableNotFound},
		"a missing table, by the master":  {java("TableNotFoundException", "t"), hbase.ErrTableNotFound},
		"a missing table, by a procedure": {errors.New(procedure), hbase.ErrTableNotFound},
		"an existing table":               {java("TableExistsException", "t"), hbase.ErrTableExists},
		"a missing family":                {noFamily, hbase.ErrFamilyNotFound},
		"an increment of another length":  {notLong, hbase.ErrNotLong},
		"a cell that is too large":        {tooLarge, hbase.ErrCellTooLarge},
		"an invalid table":                {java("FailedSanityCheckException", "…"), hbase.ErrInvalid},
		"a call that the server dropped":  {java("CallDroppedException", "…"), hbase.ErrUnavailable},
		"a result too large for a multi":  {java("MultiActionResultTooLarge", "…"), hbase.ErrUnavailable},
		"an error of the server's disk":   {errors.New(noSpace), hbase.ErrUnavailable},
		"a deadline is unavailable":       {context.DeadlineExceeded, hbase.ErrUnavailable},
		"a deadline stays one":            {context.DeadlineExceeded, context.DeadlineExceeded},
		"a cancelled call":                {context.Canceled, context.Canceled},
		"a closed store":                  {gohbase.ErrClientClosed, hbase.ErrClosed},
	} {
		t.Run(name, func(t *testing.T) {
			got := translate(test.err, "t")
			if !errors.Is(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
			if strings.ContainsAny(got.Error(), "\n\t") {
				t.Errorf("a stack trace is left in %q", got)
			}
		})
	}
}

func TestFamilyAttributes(t *testing.T) {
	for name, test := range map[string]struct {
		family hbase.FamilySchema
		want   map[string]string
	}{
		"defaults are HBase's, not gohbase's": {
			hbase.FamilySchema{Name: "f"},
			map[string]string{"VERSIONS": "1", "DATA_BLOCK_ENCODING": "NONE"},
		},
		"all attributes": {
			hbase.FamilySchema{
				Name:        "f",
				Versions:    3,
				Encoding:    "ROW_INDEX_V1",
				Bloom:       "ROWCOL",
				Compression: "GZ",
				BlockSize:   16384,
			},
			map[string]string{
				"VERSIONS":            "3",
				"DATA_BLOCK_ENCODING": "ROW_INDEX_V1",
				"BLOOMFILTER":         "ROWCOL",
				"COMPRESSION":         "GZ",
				"BLOCKSIZE":           "16384",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, attributes(test.family)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
