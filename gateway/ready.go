package gateway

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/rs/zerolog"

	"twibase/hbase"
	"twibase/hbase/tables"
)

const (
	// probeTimeout bounds the reads of /readyz.
	probeTimeout = 2 * time.Second
	// probedRegions is how many rows /readyz reads, spread evenly over the row keys.
	probedRegions = 16
)

// handleProbes adds /healthz, which succeeds while the process runs, and /readyz.
func (g *Gateway) handleProbes(mux *http.ServeMux) {
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { writeText(w, http.StatusOK, "ok\n") })
	mux.HandleFunc("GET /readyz", g.serveReady)
}

// serveReady succeeds unless the gateway is shutting down or the store answers for none of the users. If it
// answers for some, other gateways could do no better.
func (g *Gateway) serveReady(w http.ResponseWriter, r *http.Request) {
	if g.drain.Draining() {
		writeText(w, http.StatusServiceUnavailable, "the gateway is shutting down\n")
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), probeTimeout)
	defer cancel()
	if err := g.probe(ctx); err != nil {
		zerolog.Ctx(r.Context()).Warn().Err(err).Msg("the store does not answer")
		writeText(w, http.StatusServiceUnavailable, "the store does not answer\n")
		return
	}
	writeText(w, http.StatusOK, "ok\n")
}

// probe fails if the store answers none of some reads from all regions of the users table. It does not ask
// the master: reads work without one.
func (g *Gateway) probe(ctx context.Context) error {
	var gets []hbase.Get
	for _, row := range tables.Definitions(probedRegions)[0].Splits {
		gets = append(gets, hbase.Get{Table: tables.Users.Table, Row: row, Columns: tables.Attributes})
	}
	results, err := g.store.Get(ctx, gets)
	if err != nil {
		return err
	}
	for _, result := range results {
		if err = result.Err; err == nil {
			return nil
		}
	}
	return err
}

func writeText(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text)
}
