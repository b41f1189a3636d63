package auth

import (
	"bytes"
	"context"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
)

// kept is a value that is parsed from a file or a URL, and read again from time to time. If reading
// or parsing fails, the value stays. Without a read function it never changes.
type kept[T any] struct {
	read  func(context.Context) ([]byte, error)
	parse func([]byte) (T, error)
	value atomic.Pointer[T] // nil until it was read

	turn chan struct{} // held while reading: one reader for all callers
	text []byte        // the source of value
	at   time.Time     // of the last attempt
}

func newKept[T any](read func(context.Context) ([]byte, error), parse func([]byte) (T, error)) *kept[T] {
	return &kept[T]{read: read, parse: parse, turn: make(chan struct{}, 1)}
}

// load reads the value, unless the last attempt is less than a pause ago, and reports whether it has changed. ctx bounds
// only the time to wait for other readers: a read that has begun serves all that wait for it.
func (k *kept[T]) load(ctx context.Context, pause time.Duration) (changed bool, err error) {
	select {
	case k.turn <- struct{}{}:
	case <-ctx.Done():
		return false, ctx.Err()
	}
	defer func() { <-k.turn }()
	if time.Since(k.at) < pause {
		return false, nil
	}
	defer func() { k.at = time.Now() }()
	text, err := k.read(context.WithoutCancel(ctx))
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

// refresh loads the value at every interval until ctx is done, and logs changes and errors.
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
		switch changed, err := k.load(ctx, 0); {
		case err != nil && ctx.Err() == nil:
			log.Error().Err(err).Msg(what + " can't be read again; what was read before stays")
		case changed:
			log.Info().Msg(what + " changed")
		}
	}
}
