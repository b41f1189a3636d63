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

var secret = bytes.Repeat([]byte("s"), 32)

func (q *query) request() loadtest.Request {
	r := loadtest.Request{Body: q.body(), Want: q.response()}
	if q.viewer != "" {
		var err error
		if r.Token, _, err = (&auth.Tokens{Secrets: auth.NewSecrets(secret),
			Now: time.Now}).Sign(auth.Viewer{Username: q.viewer}); err != nil {
			panic(err)
		}
	}
	return r
}

const serveCommand = "serve-dataset"

func serveDataset(ctx context.Context, by string) error {
	w := newDataset(seed)
	var handler http.Handler = endpoint.New(w.planned(), endpoint.Config{
		Timeout: time.Minute,
		Around:  func(ctx context.Context) context.Context { return ctx },
	})
	if by == "hand" {
		handler = w.program()
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	if err := json.NewEncoder(os.Stderr).Encode(map[string]string{"url": "http://" +
		listener.Addr().String()}); err != nil {
		return err
	}
	server := &http.Server{Handler: (&auth.Tokens{Secrets: auth.NewSecrets(secret), Now: time.Now}).Handler(handler)}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func (p program) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	viewer, _ := auth.ViewerOf(r.Context())
	buffer := buffers.Get().(*[]byte)
	defer buffers.Put(buffer)
	*buffer = p.respond((*buffer)[:0], body, viewer.Username)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(*buffer)))
	_, _ = w.Write(*buffer)
}

var buffers = sync.Pool{New: func() any { return new([]byte) }}
