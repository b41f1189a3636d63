package e2e

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"twibase/e2e/loadtest"
	"twibase/hbase/hbasetest/minihbase"
)

const (
	idleConnections = 10_000
	// maxIdleBytes covers two buffers of 4 KiB, a stack, and as much garbage.
	maxIdleBytes = 48 << 10
	maxIdleWait  = 5 * time.Second
)

func openKeepAlive(address string) (net.Conn, error) {
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

func TestIdleConnectionsTakeLittleMemory(t *testing.T) {
	minihbase.Slow(t)
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil || files.Cur < idleConnections+500 {
		t.Fatalf("the limit of open files is %d, too low for %d connections: raise ulimit -n; %v",
			files.Cur, idleConnections, err)
	}
	program := twibase(t)
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
	silent, err := net.Dial("tcp", at.Host)
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	withoutIdle := timeNewConnection(t, at.Host)
	before, err := g.Resident()
	if err != nil {
		t.Fatal(err)
	}
	idle := make([]net.Conn, idleConnections)
	var opening errgroup.Group
	opening.SetLimit(16)
	for i := range idle {
		opening.Go(func() (err error) {
			idle[i], err = openKeepAlive(at.Host)
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
	each, withIdle := (after-before)/idleConnections, timeNewConnection(t, at.Host)
	t.Logf("%d idle connections take %.1f KB each, %d MB after %d; a request over a new connection "+
		"takes %v, and %v before", idleConnections, float64(each)/(1<<10),
		after>>20, before>>20, withIdle, withoutIdle)
	if each > maxIdleBytes {
		t.Errorf("an idle connection takes %d bytes, want at most %d", each, maxIdleBytes)
	}
	if withIdle > maxIdleWait {
		t.Errorf("a request takes %v, want at most %v", withIdle, maxIdleWait)
	}
	if err := silent.SetReadDeadline(begun.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if n, err := silent.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("the connection without a request is not closed: %d bytes, %v", n, err)
	}
}

func timeNewConnection(t *testing.T, address string) time.Duration {
	t.Helper()
	begun := time.Now()
	c, err := openKeepAlive(address)
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	return time.Since(begun)
}
