package e2e

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"twibase/e2e/loadtest"
	"twibase/hbase/hbasetest/minihbase"
)

const (
	idleConnections = 10_000
	mostIdleBytes   = 48 << 10 // of memory, for each: net/http's two buffers of 4 KiB, the stack of a goroutine, and as much again until it is collected
	mostIdleWait    = 5 * time.Second
)

// kept is a connection over which a request was answered, and nothing comes any more.
func kept(address string) (net.Conn, error) {
	c, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	if _, err := io.WriteString(c, "GET /graphql?query=%7B__typename%7D HTTP/1.1\r\nHost: gateway\r\n\r\n"); err != nil {
		return c, err
	}
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err == nil {
		_, err = io.Copy(io.Discard, response.Body)
	}
	if err == nil && response.StatusCode != http.StatusOK {
		err = errors.New(response.Status)
	}
	return c, err
}

func TestTenThousandIdleConnectionsStarveNobody(t *testing.T) {
	minihbase.Slow(t)
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil || files.Cur < idleConnections+500 {
		t.Fatalf("a process may have %d files open, and %d connections are wanted: ulimit -n; %v", files.Cur, idleConnections, err)
	}
	program := filepath.Join(t.TempDir(), "twibase")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "twibase").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	g, err := loadtest.Start(t.Context(), program, "serve", "--store", "embedded:", "--listen", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer g.Stop()
	at, err := url.Parse(g.URL)
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	silent, err := net.Dial("tcp", at.Host) // nothing is ever sent over it
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	alone := asksAnew(t, at.Host)
	before, err := g.Resident()
	if err != nil {
		t.Fatal(err)
	}
	idle := make([]net.Conn, idleConnections)
	var opening errgroup.Group
	opening.SetLimit(16)
	for i := range idle {
		opening.Go(func() (err error) {
			idle[i], err = kept(at.Host)
			return err
		})
	}
	err = opening.Wait()
	defer func() {
		for _, c := range idle {
			if c != nil {
				c.Close()
			}
		}
	}()
	if err != nil {
		t.Fatal(err)
	}
	after, err := g.Resident()
	if err != nil {
		t.Fatal(err)
	}
	each, beside := (after-before)/idleConnections, asksAnew(t, at.Host)
	t.Logf("%d idle connections take %.1f KB of memory each, %d MB after %d; a new one is answered after %v, and was after %v", idleConnections, float64(each)/(1<<10),
		after>>20, before>>20, beside, alone)
	if each > mostIdleBytes {
		t.Errorf("an idle connection takes %d bytes", each)
	}
	if beside > mostIdleWait {
		t.Errorf("beside idle connections a request takes %v", beside)
	}
	if err := silent.SetReadDeadline(begun.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if n, err := silent.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("the connection over which nothing came is not closed: %d bytes, %v", n, err)
	}
}

// asksAnew returns how long a request over a connection of its own takes.
func asksAnew(t *testing.T, address string) time.Duration {
	t.Helper()
	begun := time.Now()
	c, err := kept(address)
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	return time.Since(begun)
}
