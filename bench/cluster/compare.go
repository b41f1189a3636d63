package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"twibase/bench/gateway"
	"twibase/hbase/hbasetest/minihbase"
)

const (
	turns    = 5
	askedFor = 4 * time.Second
	// warmUp is how long it takes until HBase has compiled what runs often, and springWarmUp the same of a gateway in Java.
	warmUp       = 30 * time.Second
	springWarmUp = 4 * time.Minute
)

// side is a gateway, and the question as its schema has it.
type side struct {
	name    string
	gateway *gateway.Gateway
	warmUp  time.Duration
	request gateway.Request
}

// compare asks all sides by turns.
func compare(h *minihbase.HBase, sides []side) error {
	for i := range sides {
		s := &sides[i]
		var err error
		if s.request.Want, err = s.gateway.Answer(s.request); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		if err := sameContent(sides[0].request.Want, s.request.Want); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		if _, err := s.gateway.Drive(s.request, 16, s.warmUp); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	if err := tell(sides[0]); err != nil {
		return err
	}
	t := newTable("gateway", "connections", "requests/s", "p50 ms", "p99 ms", "gateway's CPU ms", "HBase's CPU ms", "both", "× the first's requests/s", "× the first's both")
	for range turns {
		for _, connections := range []int{1, 16, 64} {
			var first []float64
			for _, s := range sides {
				figures, err := measure(h, s, connections)
				if err != nil {
					return fmt.Errorf("%s: %w", s.name, err)
				}
				if first == nil {
					first = figures
				}
				t.add(fmt.Sprintf("%s | %d", s.name, connections), append(figures, figures[0]/first[0], figures[5]/first[5])...)
			}
		}
	}
	t.print()
	return nil
}

func measure(h *minihbase.HBase, s side, connections int) ([]float64, error) {
	before, err := h.CPU()
	if err != nil {
		return nil, err
	}
	l, err := s.gateway.Drive(s.request, connections, askedFor)
	if err != nil {
		return nil, err
	}
	after, err := h.CPU()
	hbase := (after - before) / time.Duration(l.Requests)
	return []float64{l.PerSecond(), ms(l.Percentile(50)), ms(l.Percentile(99)), ms(l.CPU), ms(hbase), ms(l.CPU + hbase)}, err
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// tell prints what a side reports of the question.
func tell(s side) error {
	r, err := http.NewRequest(http.MethodPost, s.gateway.URL+"/graphql", bytes.NewReader(s.request.Body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Twibase-Report", "1")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	var answer struct {
		Extensions struct {
			Report struct{ Rounds, RPCs, Gets, Rows, Bytes int }
		}
	}
	err = json.NewDecoder(response.Body).Decode(&answer)
	report := answer.Extensions.Report
	fmt.Printf("An answer of %d bytes: %d rounds, %d RPCs, %d Gets, %d rows, %d bytes of cells.\n\n",
		len(s.request.Want), report.Rounds, report.RPCs, report.Gets, report.Rows, report.Bytes)
	return err
}
