package command

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"twibase/hbase/cluster"
)

func TestDifferencesArePrinted(t *testing.T) {
	for _, test := range []struct {
		name        string
		differences []cluster.Difference
		want        string
	}{
		{"no differences", nil, ""},
		{"differences", []cluster.Difference{
			{Family: "i", Attribute: "DATA_BLOCK_ENCODING", Actual: "FAST_DIFF", Expected: "ROW_INDEX_V1"},
			{Family: "i", Attribute: "VERSIONS", Actual: "3", Expected: "1"},
			{Family: "t", Attribute: "DATA_BLOCK_ENCODING", Expected: "ROW_INDEX_V1"},
			{Family: "t", Attribute: "VERSIONS", Expected: "1"},
		}, `    family i: DATA_BLOCK_ENCODING is FAST_DIFF, and twibase would make it ROW_INDEX_V1
    family i: VERSIONS is 3, and twibase would make it 1
    family t is missing
    in the HBase shell: alter 'users', {NAME => 'i', DATA_BLOCK_ENCODING => 'ROW_INDEX_V1', VERSIONS => 1}, {NAME => 't', DATA_BLOCK_ENCODING => 'ROW_INDEX_V1', VERSIONS => 1}
    to rewrite existing data: major_compact 'users'
`},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			printDifferences(process{stdout: &out}, "users", test.differences)
			if diff := cmp.Diff(test.want, out.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
