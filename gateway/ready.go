package gateway

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"golang.org/x/sync/singleflight"

	"twibase/hbase"
	"twibase/hbase/tables"
)

const (
	readyTimeout  = 400 * time.Millisecond
	probeTimeout  = 350 * time.Millisecond
	probedRegions = 16
)

var (
	errReads  = errors.New("reads of " + tables.Users.Table + " fail")
	errWrites = errors.New("writes to " + tables.Intents.Table + " fail")
)

// readiness is safe for concurrent use.
type readiness struct {
	store   hbase.Store
	running singleflight.Group
}

// check waits for a probe. Concurrent calls share one.
func (r *readiness) check(ctx context.Context) error {
	probed := r.running.DoChan("", func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), probeTimeout)
		defer cancel()
		return nil, r.probe(ctx)
	})
	select {
	case result := <-probed:
		return result.Err
	case <-time.After(readyTimeout):
		return fmt.Errorf("%w: a probe takes more than %v", hbase.ErrUnavailable, readyTimeout)
	}
}

// probe reads users and writes to intents, which all writes need. One available region of each is
// enough: an unavailable region is unavailable to all gateways. probe needs no HBase master.
func (r *readiness) probe(ctx context.Context) error {
	reads, writes := make(chan error, 1), make(chan error, 1)
	go func() { reads <- r.reads(ctx) }()
	go func() { writes <- r.writes(ctx) }()
	if err := <-reads; err != nil {
		return fmt.Errorf("%w: %w", errReads, err)
	}
	if err := <-writes; err != nil {
		return fmt.Errorf("%w: %w", errWrites, err)
	}
	return nil
}

func (r *readiness) reads(ctx context.Context) error {
	var gets []hbase.Get
	for _, row := range probedRows(tables.Users.Table) {
		gets = append(gets, hbase.Get{Table: tables.Users.Table, Row: row, Columns: tables.Attributes})
	}
	results, err := r.store.Get(ctx, gets)
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

// writes sends CheckAndPuts whose checks fail. A region that rejects writes rejects them, too.
func (r *readiness) writes(ctx context.Context) (err error) {
	rows := probedRows(tables.Intents.Table)
	errs := make(chan error, len(rows))
	for _, row := range rows {
		go func() {
			check, put := tables.Intents.Probe(row)
			_, err := r.store.CheckAndPut(ctx, check, put)
			errs <- err
		}()
	}
	for range rows {
		if err = <-errs; err == nil {
			return nil
		}
	}
	return err
}

// probedRows returns the start keys of a new table's regions, except of the first, which has none.
func probedRows(name string) []string {
	for _, table := range tables.Definitions(probedRegions) {
		if table.Name == name {
			return table.Splits
		}
	}
	return nil
}

var errShuttingDown = errors.New("the gateway is shutting down")

func (g *Gateway) notReady(ctx context.Context) error {
	if g.stopping.Load() || g.drain.Draining() {
		return errShuttingDown
	}
	return g.readiness.check(ctx)
}

func (g *Gateway) serveReady(w http.ResponseWriter, r *http.Request) {
	switch err := g.notReady(r.Context()); err {
	case nil:
		writeText(w, http.StatusOK, "ok\n")
	case errShuttingDown:
		writeText(w, http.StatusServiceUnavailable, errShuttingDown.Error()+"\n")
	default:
		g.config.Log.Warn().Err(err).Msg("the store does not answer")
		writeText(w, http.StatusServiceUnavailable, publicReason(err)+"\n")
	}
}

// publicReason returns a reason without the names of hosts.
func publicReason(err error) string {
	reason := "the store does not answer"
	for _, failure := range []error{errReads, errWrites} {
		if errors.Is(err, failure) {
			reason = failure.Error()
		}
	}
	if outage := (*hbase.Outage)(nil); errors.As(err, &outage) {
		reason += ": " + outage.Error()
	}
	return reason
}
