package loaders

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"twibase/hbase"
)

type fieldKey struct{}

func fieldOf(ctx context.Context) string { return ctx.Value(fieldKey{}).(string) }

func TestTraceAttributesRoundsToFieldsAndLoaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &slow{latency: 10 * ms, begin: time.Now(), get: func(ctx context.Context, gets []hbase.Get) {
			stats := hbase.StatsOf(ctx)
			stats.RPCs.Add(2)
			stats.Gets.Add(int64(len(gets)))
			stats.Servers.Add(hbase.ServerCalls{Server: "a"})
			stats.Servers.Add(hbase.ServerCalls{Server: "b"})
		}}
		request := new(hbase.Stats)
		ctx := With(hbase.WithStats(t.Context(), request), store)
		rounds := Trace(ctx, fieldOf)
		in := func(field string) context.Context { return context.WithValue(ctx, fieldKey{}, field) }
		people := Loader[string, string]{"people", rows.get, rows.decode}
		things := Loader[string, string]{"things", rows.get, rows.decode}
		load := func(l Loader[string, string], field, keys string) {
			if _, err := l.Load(in(field), strings.Fields(keys)); err != nil {
				t.Error(err)
			}
		}
		runTasks(ctx,
			func() { time.Sleep(3 * ms); load(people, "b", "x y x"); load(people, "b.c", "x z") },
			func() { load(things, "a", "w y") },
			func() {
				if _, err := from(ctx).scan(in("s"), "people", hbase.Scan{Table: "s"}); err != nil {
					t.Error(err)
				}
			},
		)
		type round struct {
			Fields             []string
			Loaders            []Use
			Rounds, RPCs, Gets int64
			Servers            int
			Tables             []string
			Took               time.Duration
		}
		var got []round
		for _, r := range rounds() {
			got = append(got, round{r.Fields, r.Loaders, r.Stats.Rounds.Load(), r.Stats.RPCs.Load(), r.Stats.Gets.Load(),
				len(r.Stats.Servers.All()), r.Stats.Tables.Names(), r.Took})
		}
		want := []round{
			{
				Fields: []string{"s"}, Loaders: []Use{{Loader: "people", Took: 10 * ms}}, Rounds: 1, Tables: []string{"s"},
				Took: 10 * ms,
			},
			{Fields: []string{"a", "b", "b.c"}, Loaders: []Use{
				{Loader: "people", Keys: 4, Hits: 2, Gets: 2, Took: 10 * ms},
				{Loader: "things", Keys: 2, Gets: 1, Took: 13 * ms},
			}, Rounds: 1, RPCs: 2, Gets: 3, Servers: 2, Tables: []string{"t"}, Took: 10 * ms},
			{Fields: []string{"b.c"}, Loaders: []Use{
				{Loader: "people", Keys: 1, Gets: 1, Took: 10 * ms},
			}, Rounds: 1, RPCs: 2, Gets: 1, Servers: 2, Tables: []string{"t"}, Took: 10 * ms},
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if request.Rounds.Load() != 3 || request.RPCs.Load() != 4 || request.Gets.Load() != 4 {
			t.Errorf("the request has %d rounds, %d RPCs, %d Gets; want 3, 4, 4",
				request.Rounds.Load(), request.RPCs.Load(), request.Gets.Load())
		}
	})
}

func TestLoaderCalledAfterTheRoundHasZeroDuration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := context.WithValue(With(t.Context(), &slow{latency: 10 * ms}), fieldKey{}, "f")
		rounds := Trace(ctx, fieldOf)
		for _, name := range []string{"first", "second"} {
			if _, err := (Loader[string, string]{name, rows.get, rows.decode}).Load(ctx, []string{"x"}); err != nil {
				t.Error(err)
			}
			time.Sleep(5 * ms)
		}
		want := []Use{{Loader: "first", Keys: 1, Gets: 1, Took: 10 * ms}, {Loader: "second", Keys: 1}}
		all := rounds()
		if len(all) != 1 {
			t.Fatalf("got %d rounds, want 1", len(all))
		}
		if diff := cmp.Diff(want, all[0].Loaders); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestWriterCallIsARound(t *testing.T) {
	request := new(hbase.Stats)
	in := func(ctx context.Context, field string) context.Context {
		return context.WithValue(ctx, fieldKey{}, field)
	}
	ctx := in(With(hbase.WithStats(t.Context(), request), &slow{}), "none")
	for name, ctx := range map[string]context.Context{"without loaders": t.Context(), "without a trace": ctx} {
		of, ended := Writing(ctx, "follow", []string{"read"})
		if of != ctx {
			t.Errorf("%s: got another ctx", name)
		}
		ended()
	}
	rounds := Trace(ctx, fieldOf)
	call := func(field, what string) (ended func()) {
		ctx, ended := Writing(in(ctx, field), "follow", []string{what, "more"})
		hbase.StatsOf(ctx).Rounds.Add(1)
		hbase.StatsOf(ctx).Gets.Add(2)
		return ended
	}
	call("a", "read")()
	late := call("a", "remove intent")
	Forget(ctx)
	call("b", "read")()
	never := call("b", "help")
	late()
	var got []string
	for _, r := range rounds() {
		got = append(got, fmt.Sprint(r.Fields, r.Loaders[0].Loader, r.Loaders[0].Gets, r.Stats.Gets.Load()))
	}
	want := []string{"[a]follow: read2 2", "[a]follow: remove intent2 2", "[b]follow: read2 2"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	never()
	if w := from(ctx).trace; w.rounds != nil || w.calls != nil {
		t.Error("a round that ended after the trace is kept")
	}
	if of, _ := Writing(ctx, "follow", []string{"remove intent"}); of != ctx {
		t.Error("a call after the trace is recorded")
	}
	if request.Rounds.Load() != 4 || request.Gets.Load() != 8 {
		t.Errorf("the request has %d rounds and %d Gets, want 4 and 8", request.Rounds.Load(), request.Gets.Load())
	}
}

// A field's writer may call the store after the next field has begun.
func TestRoundsAreOrderedByBegin(t *testing.T) {
	ctx := context.WithValue(With(hbase.WithStats(t.Context(), new(hbase.Stats)), &slow{}), fieldKey{}, "f")
	rounds := Trace(ctx, fieldOf)
	_, late := Writing(ctx, "deleteUser", []string{"each"})
	time.Sleep(time.Millisecond)
	_, ended := Writing(ctx, "follow", []string{"read"})
	ended()
	Forget(ctx)
	late()
	all := rounds()
	if len(all) != 2 {
		t.Errorf("got %d rounds, want 2", len(all))
	}
	for i := 1; i < len(all); i++ {
		if all[i].Begun.Before(all[i-1].Begun) {
			t.Errorf("%s began before %s and follows it", all[i].Loaders[0].Loader, all[i-1].Loaders[0].Loader)
		}
	}
}

func TestLoaderIsNamedLikeItsVariable(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "loaders.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		want, name := spec.Names[0].Name, ""
		want = strings.ToLower(want[:1]) + want[1:]
		ast.Inspect(spec.Values[0], func(n ast.Node) bool {
			if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING && name == "" {
				name, _ = strconv.Unquote(text.Value)
			}
			return name == ""
		})
		if found++; name != want {
			t.Errorf("got name %q, want %q", name, want)
		}
		return false
	})
	if found < 15 {
		t.Errorf("found %d loaders, want at least 15", found)
	}
}
