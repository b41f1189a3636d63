package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"twibase/bench/gateway"
	"twibase/hbase/hbasetest/minihbase"
)

// nested asks for the followers of somebody, their followers, and the twits of those.
const nested = `{"query":"{user(username:\"u31891\"){username name followers(first:20){nodes{username name followers(first:20){nodes{username name twits(first:3){nodes{id content}}}}}}}}"}`

const (
	turns    = 5
	askedFor = 4 * time.Second
	// warmUp is how long it takes until Java has compiled what runs often.
	warmUp = 30 * time.Second
)

// compare asks gateways, one of each setting.
func compare(h *minihbase.HBase, gateways []*gateway.Gateway) error {
	request := gateway.Request{Body: []byte(nested)}
	var err error
	if request.Want, err = answer(gateways[0].URL); err != nil {
		return err
	}
	for _, g := range gateways {
		if _, err := g.Drive(request, 16, warmUp); err != nil {
			return err
		}
	}
	t := newTable("store", "connections", "requests/s", "p50 ms", "p99 ms", "gateway's CPU ms", "HBase's CPU ms", "both")
	for range turns {
		for _, connections := range []int{1, 16, 64} {
			for i, g := range gateways {
				figures, err := measure(h, g, request, connections)
				if err != nil {
					return err
				}
				t.add(fmt.Sprintf("`hbase://…%s` | %d", settings[i], connections), figures...)
			}
		}
	}
	t.print()
	return nil
}

func measure(h *minihbase.HBase, g *gateway.Gateway, request gateway.Request, connections int) ([]float64, error) {
	before, err := h.CPU()
	if err != nil {
		return nil, err
	}
	l, err := g.Drive(request, connections, askedFor)
	if err != nil {
		return nil, err
	}
	after, err := h.CPU()
	hbase := (after - before) / time.Duration(l.Requests)
	return []float64{l.PerSecond(), ms(l.Percentile(50)), ms(l.Percentile(99)), ms(l.CPU), ms(hbase), ms(l.CPU + hbase)}, err
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// answer prints what a gateway reports of the question, and returns the answer without the report.
func answer(url string) ([]byte, error) {
	var report struct {
		Extensions struct {
			Report struct{ Rounds, RPCs, Gets, Rows, Bytes int }
		}
	}
	text, err := ask(url, "1")
	if err == nil {
		err = json.Unmarshal(text, &report)
	}
	if err != nil {
		return nil, err
	}
	text, err = ask(url, "0")
	r := report.Extensions.Report
	fmt.Printf("An answer of %d bytes: %d rounds, %d RPCs, %d Gets, %d rows, %d bytes of cells.\n\n", len(text), r.Rounds, r.RPCs, r.Gets, r.Rows, r.Bytes)
	return bytes.TrimSpace(text), err
}

func ask(url, report string) ([]byte, error) {
	r, err := http.NewRequest(http.MethodPost, url+"/graphql", bytes.NewReader([]byte(nested)))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Twibase-Report", report)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	return io.ReadAll(response.Body)
}
