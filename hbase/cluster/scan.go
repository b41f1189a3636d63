package cluster

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/tsuna/gohbase/hrpc"
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"

	"twibase/hbase"
)

const defaultPageSize = 256

// Scan implements [hbase.Store]. Each page opens a scanner of its own, behind the last row of the page before, and the server closes it in
// the same RPC: a region that moves or splits between two pages changes nothing. Where a page reaches the end of its region, it ends there.
func (s *Store) Scan(ctx context.Context, scan hbase.Scan) iter.Seq2[hbase.Row, error] {
	return func(yield func(hbase.Row, error) bool) {
		if err := scan.Validate(); err != nil {
			yield(hbase.Row{}, err)
			return
		}
		stats := hbase.StatsOf(ctx)
		stats.Scans.Add(1)
		if scan.Empty() {
			return
		}
		p := newPosition(scan)
		for rows := 0; p.more; {
			page, err := s.scanPage(ctx, scan, &p, rows)
			for _, row := range page {
				stats.CountRow(row)
				if rows++; !yield(row, nil) || rows == scan.Limit {
					return
				}
			}
			if err != nil {
				yield(hbase.Row{}, err)
				return
			}
		}
	}
}

// position is where a scan goes on.
type position struct {
	start string
	// skip is whether start itself was delivered. HBase has a flag for that which gohbase's protocol lacks.
	skip bool
	more bool
}

func newPosition(scan hbase.Scan) position {
	if scan.Reversed && scan.Start == "" {
		return position{start: lastRow, more: true} // gohbase would take an empty start for that of the first region
	}
	return position{start: scan.Start, more: true}
}

// lastRow is the greatest row key there can be.
var lastRow = strings.Repeat("\xff", hbase.MaxRowLength)

// before returns the greatest row key that is less than key.
func before(key string) string {
	last := len(key) - 1
	if key[last] == 0 {
		return key[:last]
	}
	return key[:last] + string([]byte{key[last] - 1}) + lastRow[len(key):]
}

// scanPage reads the page at p in one RPC and moves p behind it. read is how many rows the scan has delivered.
func (s *Store) scanPage(ctx context.Context, scan hbase.Scan, p *position, read int) ([]hbase.Row, error) {
	ctx, cancel, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer cancel()
	size := scan.PageSize
	if size == 0 {
		size = defaultPageSize
	}
	if scan.Limit > 0 {
		size = min(size, scan.Limit-read)
	}
	call, err := s.newScan(ctx, scan, *p, size)
	if err != nil {
		return nil, err
	}
	answer, err := s.sendOne(ctx, call)
	if err != nil {
		return nil, err
	}
	page := answer.(*pb.ScanResponse)
	rows := make([]hbase.Row, 0, len(page.Results))
	for _, r := range page.Results {
		if r.GetPartial() {
			return nil, fmt.Errorf("%w: table %s: HBase cut row %q", hbase.ErrCorrupt, scan.Table, r.Cell[0].Row)
		}
		if key := string(r.Cell[0].Row); !p.skip || key != p.start {
			rows = append(rows, hbase.Row{Key: key, Cells: cells(r.Cell)})
		}
	}
	p.advance(scan, page, call.Region())
	return rows, nil
}

// advance moves p behind a page that the region gave.
func (p *position) advance(scan hbase.Scan, page *pb.ScanResponse, region hrpc.RegionInfo) {
	switch {
	case page.GetMoreResultsInRegion():
		if n := len(page.Results); n > 0 { // if it is none, the server ran out of time, and goes on from the same start
			p.behind(string(page.Results[n-1].Cell[0].Row), scan.Reversed)
		}
	case scan.Reversed:
		if p.more = len(region.StartKey()) > 0; p.more {
			p.start, p.skip = before(string(region.StartKey())), false
		}
	default:
		p.more, p.start = len(region.StopKey()) > 0, string(region.StopKey())
	}
	// What is left can be empty, too.
	p.more = p.more && !hbase.Scan{Start: p.start, Stop: scan.Stop, Reversed: scan.Reversed}.Empty()
}

func (p *position) behind(row string, reversed bool) {
	if reversed {
		p.start, p.skip = row, true
	} else {
		p.start = hbase.Next(row)
	}
}

// scanCall is gohbase's Scan with a selection.
type scanCall struct {
	*hrpc.Scan
	selection *selection
}

func (s *Store) newScan(ctx context.Context, scan hbase.Scan, p position, size int) (*scanCall, error) {
	sel, err := s.columns.selection(shape{scan.Columns, scan.Page, scan.Versions, scan.Time})
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

// ToProto implements hrpc.Call.
func (c *scanCall) ToProto() proto.Message {
	request := c.Scan.ToProto().(*pb.ScanRequest)
	// Rows come whole, and a page that takes long comes late rather than short: the deadline is the caller's.
	request.ClientHandlesPartials = proto.Bool(false)
	request.ClientHandlesHeartbeats = proto.Bool(false)
	sel := c.selection
	request.Scan.Column, request.Scan.Filter, request.Scan.TimeRange = sel.columns, sel.filter, sel.time
	request.Scan.MaxVersions, request.Scan.StoreLimit = sel.versions, sel.limit
	return request
}
