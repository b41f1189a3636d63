package gateway

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"

	"github.com/rs/zerolog"
)

func TestShutdownWaitsForInFlightRequests(t *testing.T) {
	begun, finish := make(chan struct{}), make(chan struct{})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	draining := make(chan struct{})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	server := newServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(begun)
		<-finish
		if err := r.Context().Err(); err != nil {
			t.Error("the request was cut off: ", err)
		}
		io.WriteString(w, "whole")
	}), 0, zerolog.Nop())
	go func() {
		ended <- serve(ctx, server, listener, func(context.Context) { close(draining) }, zerolog.Nop())
	}()
	answer := make(chan string, 1)
	go func() {
		response, err := http.Get("http://" + listener.Addr().String())
		if err != nil {
			answer <- err.Error()
			return
		}
		defer response.Body.Close()
		body, _ := io.ReadAll(response.Body)
		answer <- string(body)
	}()
	<-begun
	stop()
	<-draining
	select {
	case err := <-ended:
		t.Fatal("the server ended before its request: ", err)
	default:
	}
	close(finish)
	if got := <-answer; got != "whole" {
		t.Errorf("the request is answered by %q", got)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
