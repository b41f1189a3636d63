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

// position is a place in a feed, of which a test counts how many are open.
type position struct {
	at   int
	open *atomic.Int64
}

func (p *position) MoveTo(earlier Position) { p.at = earlier.(*position).at }

func (p *position) Rewind() { p.at-- }

func (p *position) Close() { p.open.Add(-1) }

// world is a window and how many positions are open.
type world struct {
	*testing.T
	window Window
	open   atomic.Int64
}

func in(t *testing.T, test func(w *world)) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{T: t}
		test(w)
		time.Sleep(Keep)
		synctest.Wait()
		if n := w.open.Load(); n != 0 || len(w.window.entries) != 0 {
			t.Errorf("%d positions are open in the end, and the window has %d entries", n, len(w.window.entries))
		}
	})
}

// start starts an operation of a viewer whose token expires.
func (w *world) start(viewer, document string) *Operation {
	w.Helper()
	ctx := auth.WithExpiry(auth.WithViewer(w.Context(), auth.Viewer{Username: viewer}), time.Now().Add(time.Hour))
	key, ok := KeyOf(ctx, document, "", nil)
	if !ok {
		w.Fatal("it has no key")
	}
	ctx, o := w.window.Start(ctx, key)
	if Of(ctx) != o {
		w.Error("the resolver does not find it")
	}
	return o
}

// expires ends an operation at a place.
func (w *world) expires(o *Operation, at int) {
	w.Helper()
	w.open.Add(1)
	o.Expire(&position{at, &w.open})
	if !o.End(true) {
		w.Error("it did not expire")
	}
}

// resumes wants an operation to continue from a place, from none if it is 0.
func (w *world) resumes(viewer, document string, want int) {
	w.Helper()
	got := 0
	if p, ok := w.start(viewer, document).Resume().(*position); ok {
		got = p.at
		p.Close()
	}
	if got != want {
		w.Errorf("%s continues %q from %d, want %d", viewer, document, got, want)
	}
}

func TestTheNextOperationThatIsTheSameContinues(t *testing.T) {
	in(t, func(w *world) {
		w.resumes("a", "1", 0)
		w.expires(w.start("a", "1"), 7)
		time.Sleep(Keep - 1)
		w.resumes("b", "1", 0)
		w.resumes("a", "2", 0)
		w.resumes("a", "1", 7)
		w.resumes("a", "1", 0)
	})
}

func TestAPositionIsKeptForAWhile(t *testing.T) {
	in(t, func(w *world) {
		w.expires(w.start("a", "1"), 7)
		time.Sleep(Keep)
		synctest.Wait()
		w.resumes("a", "1", 0)
	})
}

func TestAPositionIsNotKept(t *testing.T) {
	for name, end := range map[string]func(w *world, o *Operation){
		"if an event before it was not sent": func(w *world, o *Operation) {
			w.open.Add(1)
			o.Expire(&position{7, &w.open})
			if !o.End(false) {
				w.Error("it did not expire")
			}
		},
		"if the operation had ended before": func(w *world, o *Operation) {
			w.open.Add(1)
			if o.End(true) {
				w.Error("it expired")
			}
			o.Expire(&position{7, &w.open})
		},
		"if there is none": func(w *world, o *Operation) {
			if o.Expire(nil); !o.End(true) {
				w.Error("it did not expire")
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			in(t, func(w *world) {
				end(w, w.start("a", "1"))
				w.resumes("a", "1", 0)
			})
		})
	}
}

func TestOfSeveralPositionsEachOperationGetsTheEarliest(t *testing.T) {
	in(t, func(w *world) {
		first, second, third := w.start("a", "1"), w.start("a", "1"), w.start("a", "1")
		w.expires(first, 7)
		w.expires(second, 7)
		w.expires(third, 9)
		w.resumes("a", "1", 7)
		w.resumes("a", "1", 7)
		w.resumes("a", "1", 7)
		w.resumes("a", "1", 0)
	})
}

func TestTheNumberOfPositionsIsBounded(t *testing.T) {
	t.Run("of a viewer", func(t *testing.T) {
		in(t, func(w *world) {
			w.expires(w.start("b", "1"), 1)
			for i := range MaxOfViewer + 1 {
				w.expires(w.start("a", fmt.Sprint(i)), i+1)
			}
			if n := w.open.Load(); n != MaxOfViewer+1 {
				t.Errorf("%d positions are open", n)
			}
			w.resumes("a", "0", 0) // the oldest
			w.resumes("a", "1", 2)
			w.resumes("b", "1", 1)
		})
	})
	t.Run("of all viewers", func(t *testing.T) {
		in(t, func(w *world) {
			for i := range MaxPositions + 1 {
				w.expires(w.start(fmt.Sprint(i), "1"), 1)
			}
			if n := w.open.Load(); n != MaxPositions {
				t.Errorf("%d positions are open", n)
			}
			w.resumes("0", "1", 0)
			w.resumes("1", "1", 1)
		})
	})
}

func TestWhatAnOperationIsKnownBy(t *testing.T) {
	as := func(viewer auth.Viewer) context.Context {
		return auth.WithExpiry(auth.WithViewer(t.Context(), viewer), time.Now().Add(time.Hour))
	}
	LiLei := as(auth.Viewer{Username: "LiLei"})
	variables := map[string]any{"u": "a", "after": nil}
	of := func(ctx context.Context, document, name string, variables map[string]any) Key {
		key, ok := KeyOf(ctx, document, name, variables)
		if !ok {
			t.Fatal("it has no key")
		}
		return key
	}
	want := of(WithID(LiLei, "1"), "d", "n", variables)
	if again := of(WithID(as(auth.Viewer{Username: "LiLei"}), "1"), "d", "n", map[string]any{"after": nil, "u": "a"}); again != want {
		t.Error("the same operation has another key")
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
			t.Errorf("an operation of another %s has the same key", name)
		}
	}
	for name, ctx := range map[string]context.Context{
		"an anonymous viewer":        t.Context(),
		"a token that never expires": auth.WithViewer(t.Context(), auth.Viewer{Username: "LiLei"}),
	} {
		if _, ok := KeyOf(ctx, "d", "n", nil); ok {
			t.Errorf("an operation of %s has a key", name)
		}
	}
}

// connects starts an operation that resumes, and wants it to continue from a place.
func (w *world) connects(want int) (*Operation, Position) {
	w.Helper()
	o := w.start("a", "1")
	p, _ := o.Resume().(*position)
	if p == nil || p.at != want {
		w.Fatalf("it continues from %v, want %d", p, want)
	}
	return o, p
}

func TestAPositionOfAnOperationThatSendsNoEventIsKeptAgain(t *testing.T) {
	for name, end := range map[string]func(o *Operation, p Position){
		"when the resolver stops first":     func(o *Operation, p Position) { o.Stop(p); o.End(false) },
		"when the endpoint ends first":      func(o *Operation, p Position) { o.End(false); o.Stop(p) },
		"when the token expires first":      func(o *Operation, p Position) { o.Expire(p); o.End(false) },
		"when the token expires after that": func(o *Operation, p Position) { o.End(false); o.Expire(p) },
	} {
		t.Run(name, func(t *testing.T) {
			in(t, func(w *world) {
				w.expires(w.start("a", "1"), 7)
				time.Sleep(Keep / 2)
				w.expires(w.start("a", "1"), 9) // of a newer token
				o, p := w.connects(7)
				w.resumes("a", "1", 7)
				end(o, p)
				time.Sleep(Keep/2 - time.Nanosecond)
				o, p = w.connects(6) // the test's position notes that it was rewound
				end(o, p)
				time.Sleep(time.Nanosecond)
				synctest.Wait()
				w.resumes("a", "1", 0)
			})
		})
	}
}

func TestAPositionOfAnOperationThatSentAnEventIsNotKeptAgain(t *testing.T) {
	in(t, func(w *world) {
		w.expires(w.start("a", "1"), 7)
		o, p := w.connects(7)
		o.Sent()
		o.Stop(p)
		o.End(false)
		w.resumes("a", "1", 0)
	})
}

func TestAPositionThatIsKeptAgainIsStillTheEarliest(t *testing.T) {
	in(t, func(w *world) {
		w.expires(w.start("a", "1"), 7)
		o, p := w.connects(7)
		time.Sleep(time.Second)
		w.expires(w.start("a", "1"), 9)
		o.End(false)
		o.Stop(p)
		w.resumes("a", "1", 6)
		w.resumes("a", "1", 6)
	})
}

func TestAnOperationExpires(t *testing.T) {
	for _, test := range []struct {
		name  string
		known bool
		end   time.Duration // of its stream
		want  time.Duration
	}{
		{"with its token", true, 2 * time.Hour, time.Hour},
		{"with its stream", true, time.Minute, time.Minute},
		{"with its stream if it has no token", false, time.Minute, time.Minute},
	} {
		t.Run(test.name, func(t *testing.T) {
			in(t, func(w *world) {
				ctx, end := context.WithTimeout(w.Context(), test.end)
				defer end()
				ctx = WithEnd(w.Context(), ctx)
				if test.known {
					ctx = auth.WithExpiry(ctx, time.Now().Add(time.Hour))
				}
				begun := time.Now()
				_, o := w.window.Start(ctx, Key{})
				<-o.Expiry()
				if took := time.Since(begun); took != test.want {
					w.Errorf("after %s, want %s", took, test.want)
				}
				w.open.Add(1)
				o.Expire(&position{7, &w.open})
				if !o.End(true) {
					w.Error("it did not expire")
				}
				if n := w.open.Load(); n != 0 {
					w.Error("a position without a key is kept")
				}
			})
		})
	}
}
