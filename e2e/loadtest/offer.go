package loadtest

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Offered is what became of requests that came at times of their own, whether the ones before were answered or not.
type Offered struct {
	Requests, Answered, Refused, Lost int
	Took                              time.Duration
	Latency                           []time.Duration // of those that were answered, ascending
	CPU                               time.Duration   // of the gateway
	Peak                              int64           // of the gateway's memory in bytes, meanwhile
	Connections                       int             // that the gateway had meanwhile, at most
}

// PerSecond returns how many requests were answered in a second.
func (o Offered) PerSecond() float64 { return float64(o.Answered) / o.Took.Seconds() }

// Percentile returns the latency that p percent of the answered requests did not exceed.
func (o Offered) Percentile(p int) time.Duration {
	if len(o.Latency) == 0 {
		return 0
	}
	return o.Latency[(len(o.Latency)-1)*p/100]
}

// outstanding is how many requests wait for an answer at most: with more, this program would be the one that is overloaded.
const outstanding = 4000

// Offer sends the gateway the same, so often in a second. Each request takes a connection that is free, as those of a proxy do, or with connections the next of
// so many that are open before, as those of people do. One that gets neither its answer nor a refusal, the status 503, is lost.
func (g *Gateway) Offer(r Request, perSecond float64, connections int, during time.Duration) (o Offered, err error) {
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
	all.Go(func() { // watches the memory
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
	over := false
	for time.Since(begin) < during {
		due := int(time.Since(begin).Seconds()*perSecond) - o.Requests
		for range due {
			client, asked := &clients[o.Requests%len(clients)], time.Now()
			o.Requests++
			slots <- struct{}{}
			all.Go(func() {
				defer func() { <-slots }()
				status := g.send(client, r)
				took := time.Since(asked)
				mu.Lock()
				defer mu.Unlock()
				switch {
				case over: // what is done later is not done in this time
				case status == http.StatusOK:
					o.Answered++
					o.Latency = append(o.Latency, took)
				case status == http.StatusServiceUnavailable:
					o.Refused++
				default:
					o.Lost++
				}
			})
		}
		time.Sleep(time.Millisecond)
	}
	mu.Lock()
	over = true
	mu.Unlock()
	o.Took = time.Since(begin)
	after, _ := g.CPU()
	o.CPU = after - before
	close(stop)
	all.Wait()
	slices.Sort(o.Latency)
	return o, nil
}

// send returns the status, 0 if there is none or if the answer is not as it must be.
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
