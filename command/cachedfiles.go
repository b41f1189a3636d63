package command

import (
	"os"
	"slices"
	"sync"
	"time"

	"github.com/rs/zerolog"
)

// reloadInterval is the time between log lines about files that cannot be read.
const reloadInterval = 2 * time.Second

// reloaded is a value parsed from files, again when they change. It is safe for concurrent use.
type reloaded[T any] struct {
	what  string // for the log
	files []string
	parse func() (T, error)
	log   zerolog.Logger

	mu      sync.Mutex
	current T
	infos   []os.FileInfo // of the files of current; nil before the first read
}

// reload reads the files for the first time.
func reload[T any](what string, files []string, parse func() (T, error), log zerolog.Logger) (*reloaded[T], error) {
	r := &reloaded[T]{what: what, files: files, parse: parse,
		log: log.Sample(&zerolog.BurstSampler{Burst: 1, Period: reloadInterval})}
	return r, r.read()
}

// get returns the last contents if the files can't be read, as when only one was replaced.
func (r *reloaded[T]) get() T {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.read(); err != nil {
		r.log.Warn().Err(err).Msg("cannot read " + r.what + "; the last one stays in use")
	}
	return r.current
}

// failing reports whether the files can't be read.
func (r *reloaded[T]) failing() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.read() != nil
}

// read sets current, unless the files are unchanged.
func (r *reloaded[T]) read() error {
	infos := make([]os.FileInfo, 0, len(r.files))
	for _, file := range r.files {
		info, err := os.Stat(file)
		if err != nil {
			return err
		}
		infos = append(infos, info)
	}
	if r.infos != nil && slices.EqualFunc(infos, r.infos, unchanged) {
		return nil
	}
	current, err := r.parse()
	if err != nil {
		return err
	}
	r.current, r.infos = current, infos
	return nil
}

func unchanged(a, b os.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}
