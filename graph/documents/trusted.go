package documents

import (
	"context"
	"hash/maphash"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
)

// interval is the time between polls, which unlike events also work on network file systems and
// Kubernetes volumes.
const interval = time.Second

// Document is a trusted document.
type Document struct {
	Hash string // normalized
	Text string
	File string
}

// Trusted has the documents of files, and follows their changes. A nil *Trusted has none. It is
// safe for concurrent use.
type Trusted struct {
	paths    []string
	seed     maphash.Seed
	seen     uint64 // fingerprint; only Follow changes it
	current  atomic.Pointer[set]
	failures atomic.Int64
	outdated atomic.Bool
}

// set never changes.
type set struct {
	hashes map[string]Document
	texts  map[string]struct{}
}

// Read reads files and directories. docs/DOCUMENTS.md describes the formats.
func Read(paths ...string) (*Trusted, error) {
	t := &Trusted{paths: paths, seed: maphash.MakeSeed()}
	t.seen = fingerprint(t.seed, paths)
	read, err := load(paths)
	if err != nil {
		return nil, err
	}
	t.current.Store(read)
	return t, nil
}

// Follow reads changed files until ctx is done. After an error the previous documents stay in use.
// Documents that invalid rejects are logged and kept, so that clients that send the hash get the
// reason.
func (t *Trusted) Follow(ctx context.Context, log zerolog.Logger, invalid func(document string) error) {
	if t == nil {
		return
	}
	t.log(log, &set{}, invalid)
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		before := t.current.Load()
		switch changed, err := t.reload(); {
		case err != nil:
			log.Error().Err(err).Msg("trusted documents cannot be read; the previous ones stay in use")
		case changed:
			t.log(log, before, invalid)
		}
	}
}

func (t *Trusted) reload() (changed bool, err error) {
	seen := fingerprint(t.seed, t.paths)
	known := seen == t.seen
	if known && !t.Outdated() {
		return false, nil
	}
	t.seen = seen // of the files before they are read: later changes differ from it
	read, err := load(t.paths)
	t.outdated.Store(err != nil)
	switch {
	case err != nil && known:
		return false, nil // was reported
	case err != nil:
		t.failures.Add(1)
		return false, err
	}
	t.current.Store(read)
	return true, nil
}

func (t *Trusted) log(log zerolog.Logger, previous *set, invalid func(string) error) {
	for d := range t.All() {
		if _, known := previous.texts[d.Text]; known {
			continue
		}
		if err := invalid(d.Text); err != nil {
			log.Warn().Str("hash", d.Hash).Str("file", d.File).Err(err).
				Msg("a trusted document is not valid and will be rejected")
		}
	}
	log.Info().Int("documents", t.Len()).Msg("trusted documents were read")
}

// All iterates over the documents, sorted by hash.
func (t *Trusted) All() iter.Seq[Document] {
	return slices.Values(slices.SortedFunc(maps.Values(t.set().hashes), func(a, b Document) int {
		return strings.Compare(a.Hash, b.Hash)
	}))
}

// Len is the number of hashes.
func (t *Trusted) Len() int { return len(t.set().hashes) }

// Has reports whether a document has the text.
func (t *Trusted) Has(text string) bool { return t.set().has(text) }

// Failures counts failed reads of changed files.
func (t *Trusted) Failures() int64 {
	if t == nil {
		return 0
	}
	return t.failures.Load()
}

// Outdated reports whether the last read of changed files failed.
func (t *Trusted) Outdated() bool { return t != nil && t.outdated.Load() }

func (t *Trusted) set() *set {
	if t == nil {
		return &set{}
	}
	return t.current.Load()
}

func (s *set) has(document string) bool {
	_, has := s.texts[document]
	return has
}
