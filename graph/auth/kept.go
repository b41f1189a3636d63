package auth

import (
	"bytes"
	"context"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
)

// kept is what a text says that lies somewhere else, and is read again from time to time. What can't be read, or says nothing that makes
// sense, changes nothing. One without a way to read it is never read again.
type kept[T any] struct {
	read  func(context.Context) ([]byte, error)
	parse func([]byte) (T, error)
	value atomic.Pointer[T] // nil if it was never read

	turn chan struct{} // of one place, taken while it is read, so that one reads for all who want it
	text []byte        // of which value was made
	at   time.Time     // when it was last tried
}

func newKept[T any](read func(context.Context) ([]byte, error), parse func([]byte) (T, error)) *kept[T] {
	return &kept[T]{read: read, parse: parse, turn: make(chan struct{}, 1)}
}

// load reads the text now, and reports whether it says something new.
func (k *kept[T]) load(ctx context.Context) (changed bool, err error) {
	k.turn <- struct{}{}
	defer func() { <-k.turn }()
	return k.locked(ctx)
}

// loadAfter reads the text, unless that was tried at most so long ago. Who wants it waits for others no longer than its ctx; but whoever reads it does so
// for those who wait, and to the end.
func (k *kept[T]) loadAfter(ctx context.Context, pause time.Duration) (changed bool, err error) {
	select {
	case k.turn <- struct{}{}:
	case <-ctx.Done():
		return false, ctx.Err()
	}
	defer func() { <-k.turn }()
	if time.Since(k.at) <= pause {
		return false, nil
	}
	return k.locked(context.WithoutCancel(ctx))
}

func (k *kept[T]) locked(ctx context.Context) (changed bool, err error) {
	defer func() { k.at = time.Now() }()
	text, err := k.read(ctx)
	if err != nil || k.value.Load() != nil && bytes.Equal(text, k.text) {
		return false, err
	}
	value, err := k.parse(text)
	if err != nil {
		return false, err
	}
	k.text = text
	k.value.Store(&value)
	return true, nil
}

// refresh loads at every interval until ctx is done, and logs changes and errors.
func (k *kept[T]) refresh(ctx context.Context, log zerolog.Logger, what string, every time.Duration) {
	if k.read == nil {
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
		switch changed, err := k.load(ctx); {
		case err != nil && ctx.Err() == nil:
			log.Error().Err(err).Msg(what + " can't be read again; what was read before stays")
		case changed:
			log.Info().Msg(what + " changed")
		}
	}
}
