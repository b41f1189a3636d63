package gateway

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

// Offer sends the gateway the same, so often in a second. A request that gets neither its answer nor a refusal, the status 503, is lost.
func (g *Gateway) Offer(r Request, perSecond float64, during time.Duration) (o Offered) {
	client := &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: outstanding, DisableCompression: true}}
	defer client.CloseIdleConnections()

	var mu sync.Mutex
	var all sync.WaitGroup
	slots := make(chan struct{}, outstanding)
	begin, stop := time.Now(), make(chan struct{})
	before, _ := g.CPU()
	files := g.files()
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
	for time.Since(begin) < during {
		due := int(time.Since(begin).Seconds()*perSecond) - o.Requests
		for range due {
			o.Requests++
			slots <- struct{}{}
			all.Go(func() {
				defer func() { <-slots }()
				asked := time.Now()
				status := g.send(client, r)
				took := time.Since(asked)
				mu.Lock()
				defer mu.Unlock()
				switch status {
				case http.StatusOK:
					o.Answered++
					o.Latency = append(o.Latency, took)
				case http.StatusServiceUnavailable:
					o.Refused++
				default:
					o.Lost++
				}
			})
		}
		time.Sleep(time.Millisecond)
	}
	o.Took = time.Since(begin)
	close(stop)
	all.Wait()
	after, _ := g.CPU()
	o.CPU = after - before
	slices.Sort(o.Latency)
	return o
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
