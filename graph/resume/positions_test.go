package resume

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"twibase/graph/auth"
)

type position struct {
	at   int // the event after which its operation resumed
	open *atomic.Int64
}

func (p *position) MoveTo(earlier Position) { p.at = earlier.(*position).at }

func (p *position) Rewind(sent int) { p.at += sent }

func (p *position) Close() { p.open.Add(-1) }

type fixture struct {
	*testing.T
	positions Positions
	open      atomic.Int64
}

func run(t *testing.T, test func(w *fixture)) {
	synctest.Test(t, func(t *testing.T) {
		w := &fixture{T: t}
		test(w)
		time.Sleep(TTL)
		synctest.Wait()
		if n := w.open.Load(); n != 0 || len(w.positions.entries) != 0 {
			t.Errorf("%d positions are open at the end, and %d entries are kept", n, len(w.positions.entries))
		}
	})
}

func (w *fixture) start(viewer, document string) *Operation {
	w.Helper()
	ctx := auth.WithExpiry(auth.WithViewer(w.Context(), auth.Viewer{Username: viewer}), time.Now().Add(time.Hour))
	key, ok := KeyOf(ctx, document, "", nil)
	if !ok {
		w.Fatal("no key")
	}
	ctx, o := w.positions.Start(ctx, key)
	if Of(ctx) != o {
		w.Error("Of returns another operation")
	}
	return o
}

func (w *fixture) expire(o *Operation, at int) {
	w.Helper()
	w.open.Add(1)
	o.Stop(&position{at, &w.open})
	if !o.End(true) {
		w.Error("not stopped")
	}
}

func (w *fixture) wantResume(viewer, document string, want int) {
	w.Helper()
	got := 0
	if p, ok := w.start(viewer, document).Resume().(*position); ok {
		got = p.at
		p.Close()
	}
	if got != want {
		w.Errorf("%s resumes %q at %d, want %d", viewer, document, got, want)
	}
}

func TestNextOperationWithSameKeyResumes(t *testing.T) {
	run(t, func(w *fixture) {
		w.wantResume("a", "1", 0)
		w.expire(w.start("a", "1"), 7)
		time.Sleep(TTL - 1)
		w.wantResume("b", "1", 0)
		w.wantResume("a", "2", 0)
		w.wantResume("a", "1", 7)
		w.wantResume("a", "1", 0)
	})
}

func TestPositionIsDroppedAfterTTL(t *testing.T) {
	run(t, func(w *fixture) {
		w.expire(w.start("a", "1"), 7)
		time.Sleep(TTL)
		synctest.Wait()
		w.wantResume("a", "1", 0)
	})
}

func TestPositionIsNotKeptWithoutAnExpiredOperation(t *testing.T) {
	for name, end := range map[string]func(w *fixture, o *Operation){
		"the resolver stops first": func(w *fixture, o *Operation) {
			w.open.Add(1)
			o.Stop(&position{7, &w.open})
			o.End(false)
		},
		"the endpoint ends first": func(w *fixture, o *Operation) {
			w.open.Add(1)
			o.End(false)
			o.Stop(&position{7, &w.open})
		},
		"no position": func(w *fixture, o *Operation) {
			if o.End(true) {
				w.Error("stopped")
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, func(w *fixture) {
				end(w, w.start("a", "1"))
				w.wantResume("a", "1", 0)
			})
		})
	}
}

func TestOperationsResumeAtTheEarliestPosition(t *testing.T) {
	run(t, func(w *fixture) {
		first, second, third := w.start("a", "1"), w.start("a", "1"), w.start("a", "1")
		w.expire(first, 7)
		w.expire(second, 7)
		w.expire(third, 9)
		w.wantResume("a", "1", 7)
		w.wantResume("a", "1", 7)
		w.wantResume("a", "1", 7)
		w.wantResume("a", "1", 0)
	})
}

func TestNumberOfPositionsIsLimited(t *testing.T) {
	t.Run("of a viewer", func(t *testing.T) {
		run(t, func(w *fixture) {
			w.expire(w.start("b", "1"), 1)
			for i := range maxOfViewer + 1 {
				w.expire(w.start("a", fmt.Sprint(i)), i+1)
			}
			if n := w.open.Load(); n != maxOfViewer+1 {
				t.Errorf("%d positions are open", n)
			}
			w.wantResume("a", "0", 0)
			w.wantResume("a", "1", 2)
			w.wantResume("b", "1", 1)
		})
	})
	t.Run("of all viewers", func(t *testing.T) {
		run(t, func(w *fixture) {
			for i := range maxPositions + 1 {
				w.expire(w.start(fmt.Sprint(i), "1"), 1)
			}
			if n := w.open.Load(); n != maxPositions {
				t.Errorf("%d positions are open", n)
			}
			w.wantResume("0", "1", 0)
			w.wantResume("1", "1", 1)
		})
	})
}

func TestKeyDependsOnViewerDocumentVariablesAndID(t *testing.T) {
	as := func(viewer auth.Viewer) context.Context {
		return auth.WithExpiry(auth.WithViewer(t.Context(), viewer), time.Now().Add(time.Hour))
	}
	LiLei := as(auth.Viewer{Username: "LiLei"})
	variables := map[string]any{"u": "a", "after": nil}
	of := func(ctx context.Context, document, name string, variables map[string]any) Key {
		key, ok := KeyOf(ctx, document, name, variables)
		if !ok {
			t.Fatal("no key")
		}
		return key
	}
	want := of(WithID(LiLei, "1"), "d", "n", variables)
	again := of(WithID(as(auth.Viewer{Username: "LiLei"}), "1"), "d", "n", map[string]any{"after": nil, "u": "a"})
	if again != want {
		t.Error("the same operation: another key")
	}
	for name, other := range map[string]Key{
		"viewer":        of(WithID(as(auth.Viewer{Username: "HanMeimei"}), "1"), "d", "n", variables),
		"rights":        of(WithID(as(auth.Viewer{Username: "LiLei", Admin: true}), "1"), "d", "n", variables),
		"id":            of(WithID(LiLei, "2"), "d", "n", variables),
		"missing id":    of(LiLei, "d", "n", variables),
		"document":      of(WithID(LiLei, "1"), "e", "n", variables),
		"name":          of(WithID(LiLei, "1"), "d", "m", variables),
		"variables":     of(WithID(LiLei, "1"), "d", "n", map[string]any{"u": "a", "after": "x"}),
		"split of both": of(WithID(LiLei, "1"), "dn", "", variables),
	} {
		if other == want {
			t.Errorf("another %s: the same key", name)
		}
	}
	for name, ctx := range map[string]context.Context{
		"an anonymous viewer":        t.Context(),
		"a token that never expires": auth.WithViewer(t.Context(), auth.Viewer{Username: "LiLei"}),
	} {
		if _, ok := KeyOf(ctx, "d", "n", nil); ok {
			t.Errorf("%s: got a key", name)
		}
	}
}

func (w *fixture) resume(want int) (*Operation, Position) {
	w.Helper()
	o := w.start("a", "1")
	p, _ := o.Resume().(*position)
	if p == nil || p.at != want {
		w.Fatalf("resumes at %v, want %d", p, want)
	}
	return o, p
}

func TestPositionIsKeptAgainWithoutAnEvent(t *testing.T) {
	for name, end := range map[string]func(o *Operation, p Position){
		"the resolver stops first": func(o *Operation, p Position) { o.Stop(p); o.End(false) },
		"the endpoint ends first":  func(o *Operation, p Position) { o.End(false); o.Stop(p) },
	} {
		t.Run(name, func(t *testing.T) {
			run(t, func(w *fixture) {
				w.expire(w.start("a", "1"), 7)
				time.Sleep(TTL / 2)
				w.expire(w.start("a", "1"), 9)
				o, p := w.resume(7)
				w.wantResume("a", "1", 7)
				end(o, p)
				time.Sleep(TTL/2 - time.Nanosecond)
				o, p = w.resume(7)
				end(o, p)
				time.Sleep(time.Nanosecond)
				synctest.Wait()
				w.wantResume("a", "1", 0)
			})
		})
	}
}

func TestPositionIsNotKeptAgainAfterAnEvent(t *testing.T) {
	run(t, func(w *fixture) {
		w.expire(w.start("a", "1"), 7)
		o, p := w.resume(7)
		o.Sent()
		o.Stop(p)
		o.End(false)
		w.wantResume("a", "1", 0)
	})
}

func TestPositionIsKeptAfterTheEventsThatWereSent(t *testing.T) {
	for name, end := range map[string]func(o *Operation, p Position){
		"the resolver stops first": func(o *Operation, p Position) { o.Stop(p); o.End(true) },
		"the endpoint ends first":  func(o *Operation, p Position) { o.End(true); o.Stop(p) },
	} {
		t.Run(name, func(t *testing.T) {
			run(t, func(w *fixture) {
				w.expire(w.start("a", "1"), 7)
				o, p := w.resume(7)
				o.Sent()
				o.Sent()
				end(o, p)
				w.wantResume("a", "1", 9)
			})
		})
	}
}

func TestPositionKeptAgainIsStillTheEarliest(t *testing.T) {
	run(t, func(w *fixture) {
		w.expire(w.start("a", "1"), 7)
		o, p := w.resume(7)
		time.Sleep(time.Second)
		w.expire(w.start("a", "1"), 9)
		o.End(false)
		o.Stop(p)
		w.wantResume("a", "1", 7)
		w.wantResume("a", "1", 7)
	})
}

func TestOperationExpiresWithItsTokenOrStream(t *testing.T) {
	for _, test := range []struct {
		name  string
		known bool
		end   time.Duration // of the stream
		want  time.Duration
	}{
		{"with the token", true, 2 * time.Hour, time.Hour},
		{"with the stream", true, time.Minute, time.Minute},
		{"with the stream, without a token", false, time.Minute, time.Minute},
	} {
		t.Run(test.name, func(t *testing.T) {
			run(t, func(w *fixture) {
				ctx, end := context.WithTimeout(w.Context(), test.end)
				defer end()
				ctx = WithEnd(w.Context(), ctx)
				if test.known {
					ctx = auth.WithExpiry(ctx, time.Now().Add(time.Hour))
				}
				begun := time.Now()
				_, o := w.positions.Start(ctx, Key{})
				<-o.Expiry()
				if took := time.Since(begun); took != test.want {
					w.Errorf("after %s, want %s", took, test.want)
				}
				w.open.Add(1)
				o.Stop(&position{7, &w.open})
				if !o.End(true) {
					w.Error("not stopped")
				}
				if n := w.open.Load(); n != 0 {
					w.Error("a position without a key was kept")
				}
			})
		})
	}
}
