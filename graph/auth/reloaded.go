package auth

import (
	"bytes"
	"context"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
)

// reloaded is a value that is read at intervals, unless read is nil. A failed read keeps the value.
type reloaded[T any] struct {
	read    func(context.Context) ([]byte, error)
	parse   func([]byte) (T, error)
	current atomic.Pointer[T]
	failing atomic.Bool

	reading chan struct{} // held while reading; guards the fields text and at
	text    []byte        // of current
	at      time.Time     // of the last read
}

func newReloaded[T any](read func(context.Context) ([]byte, error), parse func([]byte) (T, error)) *reloaded[T] {
	return &reloaded[T]{read: read, parse: parse, reading: make(chan struct{}, 1)}
}

// load does nothing within pause of the last read. ctx bounds the wait for a concurrent read, but
// does not cancel the read, because all waiting callers use its result.
func (r *reloaded[T]) load(ctx context.Context, pause time.Duration) (changed bool, err error) {
	select {
	case r.reading <- struct{}{}:
	case <-ctx.Done():
		return false, ctx.Err()
	}
	defer func() { <-r.reading }()
	if time.Since(r.at) < pause {
		return false, nil
	}
	defer func() { r.at = time.Now(); r.failing.Store(err != nil) }()
	text, err := r.read(context.WithoutCancel(ctx))
	if err != nil || r.current.Load() != nil && bytes.Equal(text, r.text) {
		return false, err
	}
	value, err := r.parse(text)
	if err != nil {
		return false, err
	}
	r.text = text
	r.current.Store(&value)
	return true, nil
}

func (r *reloaded[T]) refresh(ctx context.Context, log zerolog.Logger, source string, every time.Duration) {
	if r.read == nil {
		return
	}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		switch changed, err := r.load(ctx, 0); {
		case err != nil && ctx.Err() == nil:
			log.Error().Err(err).Str("source", source).Msg("reloading failed; the last valid content, if any, stays in use")
		case changed:
			log.Info().Str("source", source).Msg("reloaded")
		}
	}
}
