package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"

	"twibase/e2e/loadtest"
	"twibase/graph/auth"
	"twibase/graph/endpoint"
)

// secret signs the tokens of viewers.
var secret = bytes.Repeat([]byte("s"), 32)

// request returns the query as a gateway is asked it.
func (q *query) request() loadtest.Request {
	r := loadtest.Request{Body: q.body(), Want: q.answer()}
	if q.viewer != "" {
		var err error
		if r.Token, _, err = (&auth.Tokens{Secrets: auth.NewSecrets(secret), Now: time.Now}).Sign(auth.Viewer{Username: q.viewer}); err != nil {
			panic(err) // the secret is long enough
		}
	}
	return r
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
