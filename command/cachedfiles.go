package command

import (
	"os"
	"slices"
	"sync"
	"time"

	"github.com/rs/zerolog"
)

const readErrorPause = 2 * time.Second

// cachedFiles is a value that is parsed from files, again after each change. It is safe for
// concurrent use.
type cachedFiles[T any] struct {
	what  string
	files []string
	parse func() (T, error)
	log   zerolog.Logger

	mu      sync.Mutex
	current T
	infos   []os.FileInfo // of current
}

func readFiles[T any](
	what string, files []string, parse func() (T, error), log zerolog.Logger,
) (*cachedFiles[T], error) {
	c := &cachedFiles[T]{what: what, files: files, parse: parse,
		log: log.Sample(&zerolog.BurstSampler{Burst: 1, Period: readErrorPause})}
	return c, c.read()
}

// get returns the value of the current files, or the last value while they cannot be read, for
// example because only one of two was replaced.
func (c *cachedFiles[T]) get() T {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.read(); err != nil {
		c.log.Warn().Err(err).Msg("cannot read " + c.what + "; the last one stays in use")
	}
	return c.current
}

func (c *cachedFiles[T]) failing() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.read() != nil
}

// The caller holds mu.
func (c *cachedFiles[T]) read() error {
	infos := make([]os.FileInfo, 0, len(c.files))
	for _, file := range c.files {
		info, err := os.Stat(file)
		if err != nil {
			return err
		}
		infos = append(infos, info)
	}
	if c.infos != nil && slices.EqualFunc(infos, c.infos, unchanged) {
		return nil
	}
	current, err := c.parse()
	if err != nil {
		return err
	}
	c.current, c.infos = current, infos
	return nil
}

func unchanged(a, b os.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}
