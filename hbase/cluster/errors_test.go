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

// java is an exception of HBase's as gohbase reports it.
func java(class, message string) error {
	class = "org.apache.hadoop.hbase." + class
	return fmt.Errorf("HBase Java exception %s:\n%s: %s\n\tat org.apache.hadoop.hbase.Some.method(Some.java:1)\n\tat java.lang.Thread.run", class, class, message)
}

func TestErrors(t *testing.T) {
	for name, test := range map[string]struct{ err, want error }{
		"a table that gohbase does not find":       {gohbase.TableNotFound, hbase.ErrTableNotFound},
		"a table that the master does not find":    {java("TableNotFoundException", "t"), hbase.ErrTableNotFound},
		"a table that exists":                      {java("TableExistsException", "t"), hbase.ErrTableExists},
		"a family that the table does not have":    {java("regionserver.NoSuchColumnFamilyException", "Column family x does not exist"), hbase.ErrFamilyNotFound},
		"an increment of what is no long":          {java("DoNotRetryIOException", "Field is not a long, it's 1 bytes wide"), hbase.ErrNotLong},
		"a cell that is too large":                 {java("DoNotRetryIOException", "Cell[…] with size 10485761 exceeds limit of 10485760 bytes"), hbase.ErrCellTooLarge},
		"a table that HBase finds no sense in":     {java("FailedSanityCheckException", "…"), hbase.ErrInvalid},
		"a call that the server dropped":           {java("CallDroppedException", "…"), hbase.ErrUnavailable},
		"an answer that is too large for a multi":  {java("MultiActionResultTooLarge", "…"), hbase.ErrUnavailable},
		"an error of the server's disk":            {errors.New("HBase Java exception java.io.IOException:\njava.io.IOException: no space left\n\tat …"), hbase.ErrUnavailable},
		"a deadline":                               {context.DeadlineExceeded, hbase.ErrUnavailable},
		"a deadline, which it still is":            {context.DeadlineExceeded, context.DeadlineExceeded},
		"a caller that has given up":               {context.Canceled, context.Canceled},
		"a store that is closed":                   {gohbase.ErrClientClosed, hbase.ErrClosed},
		"a master's procedure that found no table": {errors.New("procedure exception: org.apache.hadoop.hbase.TableNotFoundException: t"), hbase.ErrTableNotFound},
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
		"what is not set takes HBase's default, not gohbase's": {hbase.FamilySchema{Name: "f"},
			map[string]string{"VERSIONS": "1", "DATA_BLOCK_ENCODING": "NONE"}},
		"what is set is passed on": {
			hbase.FamilySchema{Name: "f", Versions: 3, Encoding: "ROW_INDEX_V1", Bloom: "ROWCOL", Compression: "GZ", BlockSize: 16384},
			map[string]string{"VERSIONS": "3", "DATA_BLOCK_ENCODING": "ROW_INDEX_V1", "BLOOMFILTER": "ROWCOL", "COMPRESSION": "GZ", "BLOCKSIZE": "16384"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, attributes(test.family)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
