package cluster

import (
	"bytes"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"

	"twibase/hbase"
)

var encodedCells = []keyValue{
	{row: []byte("r"), family: []byte("f"), qualifier: []byte("q"), value: []byte("v"), timestamp: 1, kind: putCell},
	{row: []byte("r"), family: []byte("f"), qualifier: []byte{}, value: []byte{}, timestamp: 1 << 62, kind: putCell},
	{
		row: []byte("r"), family: []byte("g"), qualifier: []byte("\x00\xff"), value: []byte("value"),
		timestamp: 3, kind: putCell,
	},
}

func encodeCells() (b []byte) {
	for i := range encodedCells {
		b = encodedCells[i].append(b)
	}
	return b
}

func TestTruncatedCellsAreErrors(t *testing.T) {
	want := hbase.Row{Key: "r", Cells: []hbase.Cell{
		{Family: "f", Qualifier: "q", Timestamp: 1, Value: []byte("v")},
		{Family: "f", Timestamp: 1 << 62, Value: []byte{}},
		{Family: "g", Qualifier: "\x00\xff", Timestamp: 3, Value: []byte("value")},
	}}
	t.Run("a row at the start of a response", func(t *testing.T) {
		b := encodeCells()
		got, read, err := readRow(append(b, "what follows"...), len(encodedCells))
		if err != nil || int(read) != len(b) {
			t.Fatalf("%d of %d bytes, %v", read, len(b), err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("a row without cells", func(t *testing.T) {
		if got, read, err := readRow(encodeCells(), 0); got.Cells != nil || read != 0 || err != nil {
			t.Error(got, read, err)
		}
	})
	t.Run("every truncation is an error", func(t *testing.T) {
		for n := range len(encodeCells()) {
			if got, _, err := readRow(encodeCells()[:n], len(encodedCells)); !errors.Is(err, hbase.ErrCorrupt) {
				t.Errorf("%d bytes: got %v, %v", n, got, err)
			}
		}
	})
}

func FuzzKeyValue(f *testing.F) {
	f.Add(encodeCells())
	noKey := "\x00\x00\x00\b\x00\x00\x00\x00\x00\x00\x00\x00\x0f\x00\x00\x00\x01\x00\x01r\x01fq\x00"
	f.Add([]byte(noKey))
	b := encodeCells()
	for bit := range 8 * len(b) {
		b[bit/8] ^= 1 << (bit % 8)
		f.Add(bytes.Clone(b))
		b[bit/8] ^= 1 << (bit % 8)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var kv keyValue
		rest, err := kv.parse(b)
		if err != nil {
			return
		}
		if diff := cmp.Diff(b[:len(b)-len(rest)], kv.append(nil)); diff != "" {
			t.Error("decoding and encoding again (-want +got):", diff)
		}
	})
}

func TestNegativeCellCountsAreErrors(t *testing.T) {
	for _, counts := range [][]int32{{-1, 0}, {3, -3}} {
		var results []*pb.ResultOrException
		for k := range counts {
			results = append(results, &pb.ResultOrException{
				Index: proto.Uint32(uint32(k) + 1), Result: &pb.Result{AssociatedCellCount: &counts[k]}})
		}
		answer := &pb.MultiResponse{RegionActionResult: []*pb.RegionActionResult{{ResultOrException: results}}}
		m := &multi{gets: make([]routedGet, len(counts))}
		if _, err := m.DeserializeCellBlocks(answer, encodeCells()); err == nil {
			t.Errorf("counts %d are accepted", counts)
		}
	}
}
