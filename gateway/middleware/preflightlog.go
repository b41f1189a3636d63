package middleware

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

// Anyone can send preflights with any names, so the log and its memory are bounded.
const (
	maxRefusedPreflights = 1024 // origins and headers that are remembered
	maxPreflightLines    = 20   // lines a minute
	maxPreflightNames    = 8    // headers of one preflight that are logged
	maxPreflightText     = 200  // bytes of an origin or a header
)

// refusedPreflights logs refused preflights, each origin and header once: a browser tells its user less.
// Listed origins have a limit of their own, so that made-up origins cannot use it up. It is safe for
// concurrent use.
type refusedPreflights struct {
	listed           func(origin string) bool
	allowed          []string // header names in lower case
	ofListed, others *preflightLog
}

func newRefusedPreflights(listed func(origin string) bool, allowed []string) *refusedPreflights {
	return &refusedPreflights{listed: listed, allowed: allowed, ofListed: newPreflightLog(), others: newPreflightLog()}
}

// log says why a preflight with these header names was refused. It changes names.
func (p *refusedPreflights) log(r *http.Request, names []string) {
	origin := r.Header.Get("Origin")
	if !p.listed(origin) {
		p.notListed(r, names)
		return
	}
	names = slices.DeleteFunc(names, func(name string) bool { return slices.Contains(p.allowed, name) })
	for _, name := range names[:min(len(names), maxPreflightNames)] {
		p.ofListed.once(r.Context(), refusedPreflight{origin, name}, name,
			"the header is not allowed: add it to --cors-headers")
	}
	if len(names) == 0 {
		method := r.Header.Get("Access-Control-Request-Method")
		p.ofListed.once(r.Context(), refusedPreflight{origin, method}, "", "the method is not allowed: "+short(method))
	}
}

// logLong says that a preflight was refused because it exceeds the [preflightBound].
func (p *refusedPreflights) logLong(r *http.Request) {
	if origin := r.Header.Get("Origin"); p.listed(origin) {
		p.ofListed.once(r.Context(), refusedPreflight{origin: origin}, "",
			"too many or too long header names: send fewer")
		return
	}
	p.notListed(r, nil)
}

func (p *refusedPreflights) notListed(r *http.Request, names []string) {
	p.others.once(r.Context(), refusedPreflight{origin: r.Header.Get("Origin")},
		strings.Join(names[:min(len(names), maxPreflightNames)], ","), "the origin is not listed: add it to --cors")
}

// refusedPreflight names what a line of the log is about.
type refusedPreflight struct{ origin, header string }

// preflightLog writes a bounded number of lines a minute. It is safe for concurrent use.
type preflightLog struct {
	few zerolog.Sampler

	mu     sync.Mutex
	logged *simplelru.LRU[refusedPreflight, struct{}]
}

func newPreflightLog() *preflightLog {
	logged, err := simplelru.NewLRU[refusedPreflight, struct{}](maxRefusedPreflights, nil)
	if err != nil {
		panic(err) // the size is not positive
	}
	return &preflightLog{logged: logged, few: &zerolog.BurstSampler{Burst: maxPreflightLines, Period: time.Minute}}
}

// once writes a line unless there was one about the same, or there were too many lately.
func (p *preflightLog) once(ctx context.Context, about refusedPreflight, header, reason string) {
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
