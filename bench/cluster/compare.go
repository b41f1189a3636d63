package main

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"time"

	"twibase/e2e/loadtest"
	"twibase/hbase/hbasetest/minihbase"
)

const (
	turns    = 9
	askedFor = 4 * time.Second
	laps     = 30
)

var connections = []int{1, 16, 64}

type side struct {
	name    string
	gateway *loadtest.Gateway
	request loadtest.Request
}

type figures struct {
	perSecond, p50, p99, own, hbase float64
}

func (f figures) both() float64 { return f.own + f.hbase }

func compare(h *minihbase.HBase, sides []side) error {
	for i := range sides {
		if err := sides[i].prepare(h, &sides[0]); err != nil {
			return fmt.Errorf("%s: %w", sides[i].name, err)
		}
	}
	first := sides[0]
	report, err := first.gateway.Report(first.request)
	if err != nil {
		return err
	}
	fmt.Printf("A response of %d bytes: %d rounds, %d RPCs, %d Gets, %d rows, %d bytes of cells.\n\n",
		len(first.request.Want), report.Rounds, report.RPCs, report.Gets, report.Rows, report.Bytes)
	t := newTable("gateway", "connections", "requests/s", "first / this", "p50 ms", "p99 ms",
		"its CPU ms", "× the first's", "HBase's CPU ms", "× the first's", "both", "× the first's")
	for turn := range turns {
		for _, n := range connections {
			of := make([]figures, len(sides))
			for i := range sides {
				i = (i + turn) % len(sides)
				if of[i], err = sides[i].measure(h, n); err != nil {
					return fmt.Errorf("%s: %w", sides[i].name, err)
				}
			}
			for i, f := range of {
				t.add(fmt.Sprintf("%s | %d", sides[i].name, n), f.perSecond, of[0].perSecond/f.perSecond, f.p50, f.p99,
					f.own, f.own/of[0].own, f.hbase, f.hbase/of[0].hbase, f.both(), f.both()/of[0].both())
			}
		}
	}
	t.print()
	return nil
}

func (s *side) prepare(h *minihbase.HBase, first *side) (err error) {
	if s.request.Want, err = s.gateway.Response(s.request); err != nil {
		return err
	}
	if bytes.Contains(s.request.Want, []byte(`"user":null`)) {
		return errors.New("the data lack the user of the query")
	}
	if err := sameContent(first.request.Want, s.request.Want); err != nil {
		return err
	}
	return s.warm(h)
}

// warm waits until Java has compiled the hot code.
func (s *side) warm(h *minihbase.HBase) error {
	best, since := math.Inf(1), 0
	for lap := 0; lap < laps && since < 4; lap++ {
		var took float64
		for _, n := range connections {
			f, err := s.measure(h, n)
			if err != nil {
				return err
			}
			took += f.both()
		}
		if since++; took < 0.97*best {
			best, since = took, 0
		}
	}
	return nil
}

func (s *side) measure(h *minihbase.HBase, connections int) (figures, error) {
	before, err := h.CPU()
	if err != nil {
		return figures{}, err
	}
	l, err := s.gateway.Drive(s.request, connections, askedFor)
	if err != nil {
		return figures{}, err
	}
	after, err := h.CPU()
	return figures{l.PerSecond(), ms(l.Percentile(50)), ms(l.Percentile(99)), ms(l.CPU),
		ms(after-before) / float64(l.Requests)}, err
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
