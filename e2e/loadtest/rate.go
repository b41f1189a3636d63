package loadtest

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"
)

type RateResult struct {
	Requests, Answered, Rejected, Lost int
	Took                               time.Duration
	Latency                            []time.Duration
	CPU                                time.Duration
	Peak                               int64 // resident memory in bytes
	Connections                        int
}

func (o RateResult) PerSecond() float64 { return float64(o.Answered) / o.Took.Seconds() }

func (o RateResult) Percentile(p int) time.Duration {
	if len(o.Latency) == 0 {
		return 0
	}
	return o.Latency[(len(o.Latency)-1)*p/100]
}

// outstanding bounds the requests in flight. More would overload this program.
const outstanding = 4000

// SendAtRate does not wait for responses. It uses connections in turn, like users, or with 0 any
// free one, like a proxy. A request without the expected response or status 429 or 503 is lost.
func (g *Gateway) SendAtRate(
	r Request, perSecond float64, connections int, duration time.Duration,
) (o RateResult, err error) {
	clients := make([]http.Client, max(connections, 1))
	for i := range clients {
		transport := &http.Transport{MaxIdleConnsPerHost: outstanding, DisableCompression: true}
		defer transport.CloseIdleConnections()
		clients[i] = http.Client{Timeout: 20 * time.Second, Transport: transport}
		if connections > 0 {
			response, err := clients[i].Get(g.URL + "/healthz")
			if err != nil {
				return o, err
			}
			_, _ = io.Copy(io.Discard, response.Body)
			response.Body.Close()
		}
	}
	files := g.files() - connections

	var mu sync.Mutex
	var all sync.WaitGroup
	slots := make(chan struct{}, outstanding)
	begin, stop := time.Now(), make(chan struct{})
	before, _ := g.CPU()
	all.Go(func() {
		for {
			if now, err := g.Resident(); err == nil {
				o.Peak = max(o.Peak, now)
			}
			o.Connections = max(o.Connections, g.files()-files)
			select {
			case <-stop:
				return
			case <-time.After(100 * time.Millisecond):
			}
		}
	})
	ended := false
	for time.Since(begin) < duration {
		due := int(time.Since(begin).Seconds()*perSecond) - o.Requests
		for range due {
			client, begun := &clients[o.Requests%len(clients)], time.Now()
			o.Requests++
			slots <- struct{}{}
			all.Go(func() {
				defer func() { <-slots }()
				status := g.send(client, r)
				took := time.Since(begun)
				mu.Lock()
				defer mu.Unlock()
				switch {
				case ended: // too late to count
				case status == http.StatusOK:
					o.Answered++
					o.Latency = append(o.Latency, took)
				case status == http.StatusServiceUnavailable, status == http.StatusTooManyRequests:
					o.Rejected++
				default:
					o.Lost++
				}
			})
		}
		time.Sleep(time.Millisecond)
	}
	mu.Lock()
	ended = true
	mu.Unlock()
	o.Took = time.Since(begin)
	after, _ := g.CPU()
	o.CPU = after - before
	close(stop)
	all.Wait()
	slices.Sort(o.Latency)
	return o, nil
}

func (g *Gateway) send(client *http.Client, r Request) int {
	request, err := g.request(r)
	if err != nil {
		return 0
	}
	response, err := client.Do(request)
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode == http.StatusOK && !bytes.Equal(bytes.TrimSpace(body), r.Want) {
		return 0
	}
	return response.StatusCode
}
