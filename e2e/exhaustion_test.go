//go:build linux

package e2e

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
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
	exhausting = flag.Duration("exhausting", 3*time.Second, "for how long a gateway is asked for more than its memory")
	readMemory = flag.Int("read-memory", 64, "the --read-memory of that gateway")
	unslowed   = flag.Float64("unslowed", 0, "how many times longer other requests may take meanwhile; 0 does not judge, as on a busy machine")
)

const (
	heavyAuthors, heavyTwits = 24, 100
	lightUsers               = 200
	exhausters               = 64
	mostResident             = 400 << 20
)

// Strangers ask for authors with 100 twits of 40 KB each: 24 of them are 96 MB in one round, and 7 just within the limit.
const exhaustingQuery = `{user(username:"A"){following(first:%d){nodes{twits(first:100){nodes{id}}}}}}`

func TestExhaustion(t *testing.T) {
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
				t.Errorf("region server %d has ended", i)
			}
		}
	})
}

// exhaustion is a gateway, and what those who ask it for too much were answered.
type exhaustion struct {
	gateway *loadtest.Gateway
	client  *http.Client
	mu      sync.Mutex
	got     map[string]int
}

func newExhaustion(t *testing.T, dir, store string) *exhaustion {
	t.Helper()
	files := exhaustingData(t, dir)
	program := filepath.Join(dir, "twibase")
	for _, args := range [][]string{
		{"go", "build", "-o", program, "twibase"},
		append([]string{program, "import", "--store", store}, files...),
	} {
		if out, err := exec.CommandContext(t.Context(), args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	g, err := loadtest.Start(t.Context(), program, "serve", "--store", store, "--listen", "127.0.0.1:0", "--read-memory", fmt.Sprint(*readMemory))
	if err != nil {
		t.Fatal(err)
	}
	return &exhaustion{gateway: g, got: map[string]int{},
		client: &http.Client{Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 100}}}
}

// exhaustingData writes users of whom few have long twits, and many short ones.
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
		fmt.Fprintln(w, "A,A")
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
		for n := range heavyTwits {
			for i := range heavyAuthors {
				fmt.Fprintf(w, "h%d-%d,heavy%d,2014-01-01T00:00:00Z,%s,\n", i, n, i, long)
			}
			for i := range lightUsers {
				fmt.Fprintf(w, "u%d-%d,u%d,2014-01-01T00:00:00Z,hello,\n", i, n, i)
			}
		}
	})
	return files
}

// ask asks and returns what was answered: the code of the first error, or ok.
func (x *exhaustion) ask(ctx context.Context, query string) string {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, x.gateway.URL+"/graphql", strings.NewReader(asBody(query, nil)))
	if err != nil {
		return err.Error()
	}
	r.Header.Set("Content-Type", "application/json")
	response, err := x.client.Do(r)
	if err != nil {
		return "no answer"
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return "no answer"
	}
	_, code, failed := strings.Cut(string(body), `"code":"`)
	if !failed {
		return "ok"
	}
	code, _, _ = strings.Cut(code, `"`)
	return code
}

// others asks what others ask, and returns how long that took, ascending.
func (x *exhaustion) others(ctx context.Context, t *testing.T) (took []time.Duration) {
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for ctx.Err() == nil {
				query := fmt.Sprintf(`{user(username:"u%d"){name followers(first:10){nodes{name twits(first:3){nodes{content}}}}}}`, rand.IntN(lightUsers))
				asked := time.Now()
				code := x.ask(context.WithoutCancel(ctx), query)
				x.mu.Lock()
				took = append(took, time.Since(asked))
				x.got["others: "+code]++
				x.mu.Unlock()
				time.Sleep(20 * time.Millisecond)
			}
		})
	}
	all.Wait()
	slices.Sort(took)
	if len(took) == 0 {
		t.Fatal("nobody else asked")
	}
	return took
}

// beside returns how long others wait while so many clients ask something without a pause.
func (x *exhaustion) beside(t *testing.T, clients int, query string) []time.Duration {
	ctx, cancel := context.WithTimeout(t.Context(), *exhausting)
	defer cancel()
	var all sync.WaitGroup
	for range clients {
		all.Go(func() {
			for ctx.Err() == nil {
				code := x.ask(context.WithoutCancel(ctx), query)
				x.mu.Lock()
				x.got[query[:9]+code]++
				x.mu.Unlock()
			}
		})
	}
	took := x.others(ctx, t)
	all.Wait()
	return took
}

func (x *exhaustion) run(t *testing.T) {
	p99 := func(took []time.Duration) time.Duration { return took[(len(took)-1)*99/100] }
	x.beside(t, 0, "") // everything is found and compiled
	alone := p99(x.beside(t, 0, ""))
	cheap := p99(x.beside(t, exhausters, `{a:user(username:"A"){name}}`))
	before, err := x.gateway.Resident()
	if err != nil {
		t.Fatal(err)
	}
	attacked := p99(x.beside(t, exhausters, fmt.Sprintf(exhaustingQuery, heavyAuthors)))
	within := p99(x.beside(t, exhausters, fmt.Sprintf(exhaustingQuery, 7)))
	peak, err := x.gateway.Peak()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("p99 of others: %v alone, %v beside %d clients with a cheap query, %v beside as many attackers, %v if these keep to the limit; %d MB before, at most %d MB; %v",
		alone, cheap, exhausters, attacked, within, before>>20, peak>>20, x.got)
	if peak > mostResident {
		t.Errorf("the gateway took %d MB", peak>>20)
	}
	for what, n := range x.got {
		switch what {
		case "others: UNAVAILABLE": // on a busy machine few wait for a slot for too long
			if n > x.got["others: ok"]/100 {
				t.Errorf("%d of others are refused", n)
			}
		case "others: ok", "{a:user(uok", "{user(useok", "{user(useLIMIT_EXCEEDED", "{user(useUNAVAILABLE":
		default:
			t.Errorf("%q, %d times", what, n)
		}
	}
	if *unslowed > 0 && float64(attacked) > *unslowed*float64(alone) {
		t.Errorf("others wait %v instead of %v", attacked, alone)
	}
}
