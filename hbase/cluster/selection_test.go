package cluster

import (
	"fmt"
	"testing"

	"twibase/hbase"
)

func TestParsedColumnsAreBounded(t *testing.T) {
	c := newColumnCache()
	for n := range hbase.MaxCachedColumns + 100 {
		if _, err := c.get(fmt.Sprintf("i:q%d", n)); err != nil {
			t.Fatal(err)
		}
	}
	if got := c.Len(); got != hbase.MaxCachedColumns {
		t.Errorf("got %d parsed columns, want %d", got, hbase.MaxCachedColumns)
	}
}
