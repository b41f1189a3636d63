//go:build linux

package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"twibase/e2e/loadtest"
	"twibase/hbase/hbasetest/minihbase"
)

var (
	exhausting = flag.Duration("exhausting", time.Second, "duration of each load")
	readMemory = flag.Int("read-memory", 48, "--read-memory of the gateway")
	unslowed   = flag.Float64("unslowed", 0,
		"maximum slowdown of other requests under attack; 0 is not measured, as on a busy machine")
)

const (
	heavyAuthors, heavyTwits = 24, 100
	lightUsers, lightTwits   = 200, 5
	longTwits                = 1000 // of the user long
	attackers                = 64
	mostResident             = 400 << 20
)

// Each author has 100 twits of 40 KB: 24 authors take 96 MB in one round, and 7 stay just within
// the limit. The user long has 1,000 such twits: a page from the end reads 256 of them, and the
// positions of the others. The long answer has two of them 200 times, which is 16 MB.
var exhaustingLoads = []load{
	{"a cheap query", `{user(username:"A"){name}}`, 1},
	{"a query beyond the limit", longTwitsOf(heavyAuthors), 1},
	{"a query within the limit", longTwitsOf(7), 1},
	{"the last twit of a long list", `{user(username:"long"){twits(last:1){nodes{id}}}}`, 1},
	{"twenty pages from the end of a long list", pagesFromTheEnd(20), 1},
	{"a long answer", longAnswer(), 1},
	{"a query within the limit, from 64 addresses", longTwitsOf(7), attackers},
	{"a long answer, to 64 addresses", longAnswer(), attackers},
}

type load struct {
	name, query string
	addresses   int
}

func longAnswer() string {
	return `{user(username:"long"){twits(first:2){nodes{` + numbered(200, "a%d:content ") + `}}}}`
}

func longTwitsOf(authors int) string {
	return fmt.Sprintf(`{user(username:"A"){following(first:%d){nodes{twits(first:100){nodes{id}}}}}}`, authors)
}

// The pages share no reads, because their lengths differ.
func pagesFromTheEnd(pages int) string {
	var query strings.Builder
	for i := range pages {
		fmt.Fprintf(&query, `a%d:user(username:"long"){twits(last:%d){nodes{id}}}`, i, i+1)
	}
	return "{" + query.String() + "}"
}

func TestOthersAreServedUnderAttack(t *testing.T) {
	t.Run("embedded", func(t *testing.T) {
		minihbase.Slow(t)
		dir := t.TempDir()
		newExhaustion(t, dir, "embedded:"+filepath.Join(dir, "store")).run(t)
	})
	t.Run("HBase", func(t *testing.T) {
		minihbase.Slow(t)
		dir := t.TempDir()
		servers := startSoakServers(t, dir)
		newExhaustion(t, dir, servers.hbase.URL()).run(t)
		for i := range servers.hbase.Servers() {
			if servers.hbase.ServerEnded(i) {
				t.Errorf("region server %d exited", i)
			}
		}
	})
}

// Each client but the attackers has its own address.
type exhaustion struct {
	gateway *loadtest.Gateway
	others  []*http.Client
	mu      sync.Mutex
	got     map[string]int
}

func newExhaustion(t *testing.T, dir, store string) *exhaustion {
	t.Helper()
	files := exhaustingData(t, dir)
	program := twibase(t)
	run(t, program, append([]string{"import", "--store", store}, files...)...)
	g, err := loadtest.Start(context.Background(), program, "serve", "--store", store,
		"--listen", "127.0.0.1:0", "--read-memory", fmt.Sprint(*readMemory))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Stop(); err != nil {
			t.Error("stop: ", err)
		}
	})
	x := &exhaustion{gateway: g, got: map[string]int{}}
	for i := range 4 {
		x.others = append(x.others, clientAt(fmt.Sprintf("127.0.1.%d", i+1)))
	}
	return x
}

func clientAt(address string) *http.Client {
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	return &http.Client{Timeout: time.Minute,
		Transport: &http.Transport{MaxIdleConnsPerHost: 100, DialContext: dialer.DialContext}}
}

func exhaustingData(t *testing.T, dir string) (files []string) {
	t.Helper()
	write := func(name, header string, rows func(w io.Writer)) {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		w := bufio.NewWriter(f)
		fmt.Fprintln(w, header)
		rows(w)
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		files = append(files, f.Name())
	}
	long := strings.Repeat("\U0001F995", 10_000)
	write("users.csv", "username,name", func(w io.Writer) {
		fmt.Fprintln(w, "A,A\nlong,Long")
		for i := range heavyAuthors {
			fmt.Fprintf(w, "heavy%d,Heavy\n", i)
		}
		for i := range lightUsers {
			fmt.Fprintf(w, "u%d,User\n", i)
		}
	})
	write("follows.csv", "follower,followee", func(w io.Writer) {
		for i := range heavyAuthors {
			fmt.Fprintf(w, "A,heavy%d\n", i)
		}
		for i := range lightUsers {
			for k := range 10 {
				fmt.Fprintf(w, "u%d,u%d\n", (i+1+k*k)%lightUsers, i)
			}
		}
	})
	write("twits.csv", "id,author,posted_at,content,photo_urls", func(w io.Writer) {
		for n := range longTwits {
			fmt.Fprintf(w, "long-%d,long,2014-01-01T00:00:00Z,%s,\n", n, long)
		}
		for n := range heavyTwits {
			for i := range heavyAuthors {
				fmt.Fprintf(w, "h%d-%d,heavy%d,2014-01-01T00:00:00Z,%s,\n", i, n, i, long)
			}
		}
		for n := range lightTwits {
			for i := range lightUsers {
				fmt.Fprintf(w, "u%d-%d,u%d,2014-01-01T00:00:00Z,hello,\n", i, n, i)
			}
		}
	})
	return files
}

func ask(ctx context.Context, client *http.Client, url, query string) string {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/graphql",
		strings.NewReader(asBody(query, nil)))
	if err != nil {
		return err.Error()
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept-Encoding", "gzip") // the client does not decompress it
	response, err := client.Do(r)
	if err != nil {
		return "no response"
	}
	defer response.Body.Close()
	var begin bytes.Buffer // has the errors, which are not compressed
	if _, err = io.CopyN(&begin, response.Body, 4<<10); err == nil {
		_, err = io.Copy(io.Discard, response.Body)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return "no response"
	}
	_, code, failed := strings.Cut(begin.String(), `"code":"`)
	if !failed {
		return "ok"
	}
	code, _, _ = strings.Cut(code, `"`)
	return code
}

// The clients run in a process of the lowest priority, because real attackers have their own
// processors.
func startAttack(t *testing.T, url string, a load) (stop func() map[string]int) {
	order, err := json.Marshal(attackOrder{url, a.query, a.addresses})
	if err != nil {
		t.Fatal(err)
	}
	child := exec.CommandContext(t.Context(), "nice", "-n", "19", os.Args[0], "-test.run", "^TestChildAttacks$")
	child.Env = append(os.Environ(), attackSetting+"="+string(order))
	child.Stderr = os.Stderr
	in, inErr := child.StdinPipe()
	out, outErr := child.StdoutPipe()
	if err := errors.Join(inErr, outErr, child.Start()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = child.Wait() }) // if the test ends before stop
	results := bufio.NewReader(out)
	if _, err := results.ReadString('\n'); err != nil { // the attack begins
		t.Fatal(err)
	}
	return func() (got map[string]int) {
		in.Close()
		if err := json.NewDecoder(results).Decode(&got); err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, results)
		if err := child.Wait(); err != nil {
			t.Fatal(err)
		}
		return got
	}
}

const attackSetting = "TWIBASE_ATTACK"

type attackOrder struct {
	URL, Query string
	Addresses  int
}

func TestChildAttacks(t *testing.T) {
	setting := os.Getenv(attackSetting)
	if setting == "" {
		return
	}
	var order attackOrder
	if err := json.Unmarshal([]byte(setting), &order); err != nil {
		t.Fatal(err)
	}
	var clients []*http.Client
	for i := range order.Addresses {
		clients = append(clients, clientAt(fmt.Sprintf("127.0.2.%d", i+1)))
	}
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	var mu sync.Mutex
	got := map[string]int{}
	fmt.Println()
	for i := range attackers {
		all.Go(func() {
			for ctx.Err() == nil {
				code := ask(context.WithoutCancel(ctx), clients[i%len(clients)], order.URL, order.Query)
				mu.Lock()
				got["attackers: "+code]++
				mu.Unlock()
			}
		})
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
	cancel()
	all.Wait()
	if err := json.NewEncoder(os.Stdout).Encode(got); err != nil {
		t.Fatal(err)
	}
}

func trivialServer(t *testing.T) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, `{"data":{"user":{"name":"A"}}}`)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func (x *exhaustion) measureOthers(t *testing.T) (latencies []time.Duration) {
	ctx, cancel := context.WithTimeout(t.Context(), *exhausting)
	defer cancel()
	var all sync.WaitGroup
	for _, client := range x.others {
		all.Go(func() {
			for ctx.Err() == nil {
				query := fmt.Sprintf(`{user(username:"u%d"){name followers(first:10){nodes{name twits(first:3){nodes{content}}}}}}`,
					rand.IntN(lightUsers))
				begun := time.Now()
				code := ask(context.WithoutCancel(ctx), client, x.gateway.URL, query)
				x.mu.Lock()
				if code == "ok" {
					latencies = append(latencies, time.Since(begun))
				}
				x.got["others: "+code]++
				x.mu.Unlock()
				time.Sleep(20 * time.Millisecond)
			}
		})
	}
	all.Wait()
	if len(latencies) == 0 {
		t.Fatal("no other request was served")
	}
	slices.Sort(latencies)
	return latencies
}

func (x *exhaustion) measureUnderLoad(t *testing.T, url string, a load) []time.Duration {
	stop := startAttack(t, url, a)
	latencies := x.measureOthers(t)
	maps.Copy(x.got, stop())
	return latencies
}

func (x *exhaustion) run(t *testing.T) {
	p99 := func(ascending []time.Duration) time.Duration { return ascending[(len(ascending)-1)*99/100] }
	var elsewhere time.Duration
	if *unslowed > 0 {
		x.measureOthers(t) // warm-up
		t.Logf("p99 of other requests %v, without load", p99(x.measureOthers(t)))
		// This load shows the processor time that the clients take.
		x.got = map[string]int{}
		elsewhere = p99(x.measureUnderLoad(t, trivialServer(t), exhaustingLoads[0]))
		t.Logf("p99 of other requests %v, with %d clients of a trivial server: %v", elsewhere, attackers, x.got)
	}
	for _, attack := range exhaustingLoads {
		x.got = map[string]int{}
		attacked := p99(x.measureUnderLoad(t, x.gateway.URL, attack))
		peak, err := x.gateway.Peak()
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("p99 of other requests %v, memory at most %d MB, with %d clients of %s: %v",
			attacked, peak>>20, attackers, attack.name, x.got)
		if peak > mostResident {
			t.Errorf("%s: the gateway takes %d MB", attack.name, peak>>20)
		}
		if *unslowed > 0 && attack.addresses == 1 && float64(attacked) > *unslowed*float64(elsewhere) {
			t.Errorf("%s: other requests take %v, and %v if the load is elsewhere", attack.name, attacked, elsewhere)
		}
		x.check(t, attack)
	}
}

func (x *exhaustion) check(t *testing.T, a load) {
	if len(x.got) < 2 {
		t.Errorf("%s: only %v", a.name, x.got)
	}
	for what, n := range x.got {
		switch what {
		// On a busy machine some requests wait too long for a slot, which 68 addresses share.
		case "others: UNAVAILABLE":
			if a.addresses == 1 && n > x.got["others: ok"]/100 {
				t.Errorf("%s: %d other requests were rejected", a.name, n)
			}
		case "others: ok", "attackers: ok", "attackers: LIMIT_EXCEEDED", "attackers: UNAVAILABLE":
		default:
			t.Errorf("%s: %q, %d times", a.name, what, n)
		}
	}
}
