package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"twibase/bench/gateway"
	"twibase/graph/auth"
	"twibase/graph/endpoint"
)

// secret signs the tokens of viewers.
var secret = bytes.Repeat([]byte("s"), 32)

// request returns the query as a gateway is asked it.
func (q *query) request() gateway.Request {
	r := gateway.Request{Body: q.body(), Want: q.answer()}
	if q.viewer != "" {
		var err error
		if r.Token, _, err = (&auth.Tokens{Secrets: auth.NewSecrets(secret), Now: time.Now}).Sign(auth.Viewer{Username: q.viewer}); err != nil {
			panic(err) // the secret is long enough
		}
	}
	return r
}

// startTwibase builds twibase in a folder and starts it over a store.
func startTwibase(ctx context.Context, dir, store string) (*gateway.Gateway, error) {
	program, err := buildTwibase(ctx, dir)
	if err != nil {
		return nil, err
	}
	return serveTwibase(ctx, dir, program, store)
}

func buildTwibase(ctx context.Context, dir string) (program string, err error) {
	program = filepath.Join(dir, "twibase")
	if out, err := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", program, "twibase").CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return program, nil
}

func serveTwibase(ctx context.Context, dir, program, store string, flags ...string) (*gateway.Gateway, error) {
	file := filepath.Join(dir, "secret")
	if err := os.WriteFile(file, secret, 0o600); err != nil {
		return nil, err
	}
	return gateway.Start(ctx, program, append([]string{"serve", "--listen", "127.0.0.1:0", "--store", store, "--jwt-secret-file", file}, flags...)...)
}

// startWorld starts this program again, as a server over a world in memory.
func startWorld(ctx context.Context, by string) (*gateway.Gateway, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return gateway.Start(ctx, program, serving, by)
}

// serving is the argument by which this program serves a world: by the plan, or by the program that was written by hand.
const serving = "serve-world"

func serveWorld(ctx context.Context, by string) error {
	w := newWorld(seed)
	var handler http.Handler = endpoint.New(w.planned(), endpoint.Config{Timeout: time.Minute, Around: func(ctx context.Context) context.Context { return ctx }})
	if by == "hand" {
		handler = w.program()
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	if err := json.NewEncoder(os.Stderr).Encode(map[string]string{"url": "http://" + listener.Addr().String()}); err != nil {
		return err
	}
	server := &http.Server{Handler: (&auth.Tokens{Secrets: auth.NewSecrets(secret), Now: time.Now}).Handler(handler)}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// ServeHTTP answers the queries as somebody would who had just these.
func (p program) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	viewer, _ := auth.ViewerOf(r.Context())
	buffer := buffers.Get().(*[]byte)
	defer buffers.Put(buffer)
	*buffer = p.answer((*buffer)[:0], body, viewer.Username)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(*buffer)))
	_, _ = w.Write(*buffer)
}

var buffers = sync.Pool{New: func() any { return new([]byte) }}
