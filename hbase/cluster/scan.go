package cluster

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/tsuna/gohbase/hrpc"
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"

	"twibase/hbase"
)

// Scan reads each page by one RPC that opens and closes a scanner, so regions may move or split
// between pages. A page ends at the end of its region.
func (s *Store) Scan(ctx context.Context, scan hbase.Scan) iter.Seq2[hbase.Row, error] {
	scan.Table = s.FullName(scan.Table)
	return hbase.Pages(ctx, scan, func() func(int) ([]hbase.Row, bool, error) {
		p := newPosition(scan)
		return func(size int) ([]hbase.Row, bool, error) {
			page, err := s.scanPage(ctx, scan, &p, size)
			return page, p.more, err
		}
	})
}

type position struct {
	start string
	// skip omits the row at start: gohbase lacks HBase's exclusive start.
	skip bool
	more bool
}

func newPosition(scan hbase.Scan) position {
	if scan.Reversed && scan.Start == "" {
		return position{start: lastRow, more: true}
	}
	return position{start: scan.Start, more: true}
}

var lastRow = strings.Repeat("\xff", hbase.MaxRowLength)

func before(key string) string {
	last := len(key) - 1
	if key[last] == 0 {
		return key[:last]
	}
	return key[:last] + string([]byte{key[last] - 1}) + lastRow[len(key):]
}

func (s *Store) scanPage(ctx context.Context, scan hbase.Scan, p *position, size int) ([]hbase.Row, error) {
	ctx, cancel, err := s.begin(ctx, s.callTimeout)
	if err != nil {
		return nil, err
	}
	defer cancel()
	call, err := newScan(ctx, scan, *p, size)
	if err != nil {
		return nil, err
	}
	answer, err := s.sendOne(ctx, call)
	if err != nil {
		return nil, err
	}
	rows := call.rows
	if p.skip && len(rows) > 0 && rows[0].Key == p.start {
		rows = rows[1:]
	}
	p.advance(scan, call, answer.(*pb.ScanResponse).GetMoreResultsInRegion())
	return rows, nil
}

// more is true if the region has more rows.
func (p *position) advance(scan hbase.Scan, call *scanCall, more bool) {
	region := call.Region()
	switch {
	case more:
		if n := len(call.rows); n > 0 { // an empty page is read again
			p.moveAfter(call.rows[n-1].Key, scan.Reversed)
		}
	case scan.Reversed:
		if p.more = len(region.StartKey()) > 0; p.more {
			p.start, p.skip = before(string(region.StartKey())), false
		}
	default:
		p.more, p.start = len(region.StopKey()) > 0, string(region.StopKey())
	}
	p.more = p.more && !hbase.Scan{Start: p.start, Stop: scan.Stop, Reversed: scan.Reversed}.Empty()
}

func (p *position) moveAfter(row string, reversed bool) {
	if reversed {
		p.start, p.skip = row, true
	} else {
		p.start = hbase.Next(row)
	}
}

type scanCall struct {
	*hrpc.Scan
	selection *selection
	rows      []hbase.Row
}

func newScan(ctx context.Context, scan hbase.Scan, p position, size int) (*scanCall, error) {
	sel, err := newSelection(&hbase.Get{Columns: scan.Columns, Page: scan.Page})
	if err != nil {
		return nil, err
	}
	if p.skip {
		size++
	}
	options := []func(hrpc.Call) error{hrpc.NumberOfRows(*number(size)), hrpc.CloseScanner()}
	if scan.Reversed {
		options = append(options, hrpc.Reversed())
	}
	call, err := hrpc.NewScanRange(ctx, []byte(scan.Table), []byte(p.start), []byte(scan.Stop), options...)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", hbase.ErrInvalid, err)
	}
	return &scanCall{Scan: call, selection: sel}, nil
}

func (c *scanCall) Name() string {
	return methodOf(c.Context(), c.Scan.Name())
}

// ToProto is called by gohbase for each attempt.
func (c *scanCall) ToProto() proto.Message {
	c.rows = nil
	request := c.Scan.ToProto().(*pb.ScanRequest)
	// No partial rows, and no early end of a slow page.
	request.ClientHandlesPartials = proto.Bool(false)
	request.ClientHandlesHeartbeats = proto.Bool(false)
	sel := c.selection
	request.Scan.Column, request.Scan.Filter, request.Scan.StoreLimit = sel.columns, sel.filter, sel.limit
	return request
}

func (c *scanCall) DeserializeCellBlocks(answer proto.Message, cells []byte) (uint32, error) {
	page := answer.(*pb.ScanResponse)
	c.rows = make([]hbase.Row, len(page.GetCellsPerResult()))
	var read uint32
	for i, count := range page.GetCellsPerResult() {
		row, n, err := readRow(cells[read:], int(count))
		if err != nil {
			return read, err
		}
		if slices.Contains(page.GetPartialFlagPerResult(), true) {
			return read, malformed("row %q is partial", row.Key)
		}
		c.rows[i], read = row, read+n
	}
	return read, nil
}
