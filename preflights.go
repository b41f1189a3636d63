package main

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"github.com/rs/zerolog"
)

// Anyone can send preflights with any names, so the number that is remembered and logged is bounded.
const (
	maxRefusedPreflights = 1024 // origins and headers that are remembered
	maxPreflightLines    = 20   // lines a minute
	maxPreflightNames    = 8    // headers of one preflight that are logged
	maxPreflightText     = 200  // bytes of an origin or a header
)

// refusedPreflight identifies a log line: an origin, and a refused header or method.
type refusedPreflight struct{ origin, header string }

// refusedPreflights logs refused preflights, each origin and header once: a browser shows less. It
// is safe for concurrent use.
type refusedPreflights struct {
	listed  func(origin string) bool
	allowed []string // header names in lower case
	few     zerolog.Sampler

	mu     sync.Mutex
	logged *simplelru.LRU[refusedPreflight, struct{}]
}

func newRefusedPreflights(listed func(origin string) bool, allowed []string) *refusedPreflights {
	logged, err := simplelru.NewLRU[refusedPreflight, struct{}](maxRefusedPreflights, nil)
	if err != nil {
		panic(err) // the size is not positive
	}
	return &refusedPreflights{listed: listed, allowed: allowed, logged: logged,
		few: &zerolog.BurstSampler{Burst: maxPreflightLines, Period: time.Minute}}
}

// log says why a preflight was refused.
func (p *refusedPreflights) log(r *http.Request) {
	origin, names := r.Header.Get("Origin"), requestedHeaders(r)
	if !p.listed(origin) {
		p.once(r.Context(), refusedPreflight{origin: origin}, strings.Join(names[:min(len(names), maxPreflightNames)], ","),
			"the origin is not listed: add it to --cors")
		return
	}
	names = slices.DeleteFunc(names, func(name string) bool { return slices.Contains(p.allowed, name) })
	for _, name := range names[:min(len(names), maxPreflightNames)] {
		p.once(r.Context(), refusedPreflight{origin, name}, name, "the header is not allowed: add it to --cors-headers")
	}
	if len(names) == 0 {
		method := r.Header.Get("Access-Control-Request-Method")
		p.once(r.Context(), refusedPreflight{origin, method}, "", "the method is not allowed: "+short(method))
	}
}

// once writes a line unless the same was logged before, or too many lines were written in the last minute.
func (p *refusedPreflights) once(ctx context.Context, about refusedPreflight, header, reason string) {
	about.origin, about.header = short(about.origin), short(about.header)
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, before := p.logged.Get(about); before || !p.few.Sample(zerolog.WarnLevel) {
		return
	}
	p.logged.Add(about, struct{}{})
	zerolog.Ctx(ctx).Warn().Str("origin", about.origin).Str("header", short(header)).Str("reason", reason).
		Msg("preflight refused")
}

// short returns a copy of the part of a text that is logged, so that the request's memory can be freed.
func short(text string) string { return strings.Clone(text[:min(len(text), maxPreflightText)]) }
