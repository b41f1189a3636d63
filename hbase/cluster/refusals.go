package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/tsuna/gohbase/hrpc"

	"twibase/hbase"
)

// refusal is an error that usually lasts until the configuration changes. Its text says what to
// change.
type refusal struct{ error }

func refuse(format string, args ...any) error { return refusal{fmt.Errorf(format, args...)} }

func (r refusal) Unwrap() []error { return []error{r.error, hbase.ErrUnavailable} }

// refusals has the servers that refuse connections. Calls to regions without a connection fail
// immediately, while gohbase keeps trying to connect. A call to a master fails if any server
// refuses a connection during the call.
type refusals struct {
	count   atomic.Int64 // usually 0, and then calls do not lock mu
	mu      sync.Mutex
	servers map[string]error
	added   chan struct{} // closed by the next refusal; may be nil
}

func (r *refusals) of(server string) error {
	if r.count.Load() == 0 {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.servers[server]
}

func (r *refusals) any() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, err := range r.servers {
		return err
	}
	return nil
}

func (r *refusals) set(server string, err error) (before error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	before = r.servers[server]
	defer func() { r.count.Store(int64(len(r.servers))) }()
	if err == nil {
		delete(r.servers, server)
		return before
	}
	if r.servers == nil {
		r.servers = map[string]error{}
	}
	r.servers[server] = err
	if r.added != nil {
		close(r.added)
		r.added = nil
	}
	return before
}

func (r *refusals) next() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.added == nil {
		r.added = make(chan struct{})
	}
	return r.added
}

// refusal returns the reason why a region has no connection, or nil: the refusal of the region's
// server, or of hbase:meta's, which gohbase needs to locate the region. An unknown region may be on
// any server.
func (s *Store) refusal(region hrpc.RegionInfo) error {
	switch {
	case s.refusals.count.Load() == 0:
		return nil
	case region == nil:
		return s.refusals.any()
	case region.IsUnavailable():
		return cmp.Or(s.refusals.of(s.regions.lastServer(region)),
			s.refusals.of(cmp.Or(s.regions.lastServer(s.regions.find(metaTable, "\x00")), s.metaServer)))
	}
	return nil
}

// orRefused returns a ctx that the next refusal cancels, with a refusal as the cause.
func (r *refusals) orRefused(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	next := r.next()
	go func() {
		select {
		case <-next:
			cancel(r.any())
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}

func (s *Store) note(r *refusals, server string, err error) {
	var refused refusal
	switch {
	case errors.As(err, &refused):
		refused.error = fmt.Errorf("server %s: %w", server, refused.error)
		if before := r.set(server, refused); before == nil || before.Error() != refused.Error() {
			s.log.Warn().Err(refused).Msg("a server of HBase refuses connections: calls that need it fail immediately")
		}
	case err == nil && r.of(server) != nil:
		r.set(server, nil)
		s.log.Info().Str("server", server).Msg("a server of HBase accepts connections again")
	}
}
