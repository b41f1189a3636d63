package loadtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

type Request struct {
	Body  []byte
	Token string
	Want  []byte // the body of the response
}

type Load struct {
	Requests int
	Took     time.Duration
	CPU      time.Duration // of the gateway, per request
	Latency  []time.Duration
}

func (l Load) PerSecond() float64 { return float64(l.Requests) / l.Took.Seconds() }

func (l Load) Percentile(p int) time.Duration { return l.Latency[(len(l.Latency)-1)*p/100] }

// Drive sends the next request of a connection after a response.
func (g *Gateway) Drive(r Request, connections int, duration time.Duration) (Load, error) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: connections, DisableCompression: true}}
	defer client.CloseIdleConnections()
	before, err := g.CPU()
	if err != nil {
		return Load{}, err
	}
	var all Load
	var mu sync.Mutex
	var failed atomic.Pointer[error]
	var group sync.WaitGroup
	begin := time.Now()
	for range connections {
		group.Go(func() {
			var own []time.Duration
			var buffer bytes.Buffer
			for failed.Load() == nil && (len(own) == 0 || time.Since(begin) < duration) {
				begun := time.Now()
				if err := g.post(client, r, &buffer); err != nil {
					failed.Store(&err)
				}
				own = append(own, time.Since(begun))
			}
			mu.Lock()
			defer mu.Unlock()
			all.Latency = append(all.Latency, own...)
		})
	}
	group.Wait()
	if err := failed.Load(); err != nil {
		return Load{}, *err
	}
	all.Took, all.Requests = time.Since(begin), len(all.Latency)
	after, err := g.CPU()
	all.CPU = (after - before) / time.Duration(all.Requests)
	slices.Sort(all.Latency)
	return all, err
}

type Report struct{ Rounds, RPCs, Gets, Rows, Bytes int }

func (g *Gateway) Report(r Request) (Report, error) {
	request, err := g.request(r)
	if err != nil {
		return Report{}, err
	}
	request.Header.Set("X-Twibase-Report", "1")
	body, err := do(request)
	if err != nil {
		return Report{}, err
	}
	var answer struct {
		Extensions struct{ Report Report }
	}
	err = json.Unmarshal(body, &answer)
	return answer.Extensions.Report, err
}

func (g *Gateway) request(r Request) (*http.Request, error) {
	request, err := http.NewRequest(http.MethodPost, g.URL+"/graphql", bytes.NewReader(r.Body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	if r.Token != "" {
		request.Header.Set("Authorization", "Bearer "+r.Token)
	}
	return request, nil
}

func (g *Gateway) post(client *http.Client, r Request, buffer *bytes.Buffer) error {
	request, err := g.request(r)
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	buffer.Reset()
	if _, err := io.Copy(buffer, response.Body); err != nil {
		return err
	}
	if got := bytes.TrimSpace(buffer.Bytes()); response.StatusCode != http.StatusOK || !bytes.Equal(got, r.Want) {
		return fmt.Errorf("status %d: got %.300s\nwant %.300s", response.StatusCode, got, r.Want)
	}
	return nil
}

func (g *Gateway) Response(r Request) ([]byte, error) {
	request, err := g.request(r)
	if err != nil {
		return nil, err
	}
	return do(request)
}

func do(request *http.Request) ([]byte, error) {
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && (response.StatusCode != http.StatusOK || bytes.Contains(body, []byte(`"errors"`))) {
		err = fmt.Errorf("status %d: %.300s", response.StatusCode, body)
	}
	return bytes.TrimSpace(body), err
}
