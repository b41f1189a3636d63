package plan_test

import (
	"context"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/99designs/gqlgen/graphql/handler/lru"
	"github.com/vektah/gqlparser/v2/ast"

	"twibase/graph/exec"
	"twibase/graph/model"
	"twibase/graph/plan"
	"twibase/graph/relay"
	"twibase/hbase/tables"
)

// reference is answered by 1,620 objects.
const reference = `{users(first:20){nodes{id name followers(first:20){nodes{id name twits(first:3){nodes{id content}}}}}}}`

// memory answers it from maps.
type memory struct {
	users     *model.UserConnection
	followers map[string]*model.UserConnection
	twits     map[string]*model.TwitConnection
}

func newMemory() *memory {
	m := &memory{users: &model.UserConnection{}, followers: map[string]*model.UserConnection{}, twits: map[string]*model.TwitConnection{}}
	user := func(i int) *tables.User {
		name := fmt.Sprintf("User %d", i)
		return &tables.User{Username: fmt.Sprintf("u%05d", i), Name: &name}
	}
	for i := range 20 {
		u, followers := user(i), &model.UserConnection{}
		for j := range 20 {
			f, twits := user(20+20*i+j), &model.TwitConnection{}
			for k := range 3 {
				twits.Nodes = append(twits.Nodes, &tables.Twit{AuthorName: f.Username, Name: fmt.Sprint("t", k), PostedAt: time.UnixMilli(int64(1e12 + k)),
					Content: strings.Repeat("今天 is a \"day\" ", 1+k)})
			}
			followers.Nodes, m.twits[f.Username] = append(followers.Nodes, f), twits
		}
		m.users.Nodes, m.followers[u.Username] = append(m.users.Nodes, u), followers
	}
	return m
}

type (
	memoryRoot struct {
		exec.ResolverRoot
		*memory
	}
	memoryQuery struct {
		exec.QueryResolver
		*memory
	}
	memoryUser struct {
		exec.UserResolver
		*memory
	}
)

func (m memoryRoot) Query() exec.QueryResolver { return memoryQuery{memory: m.memory} }
func (m memoryRoot) User() exec.UserResolver   { return memoryUser{memory: m.memory} }

func (m memoryQuery) Users(context.Context, *int, *string, *int, *string) (*model.UserConnection, error) {
	return m.users, nil
}
func (m memoryUser) Followers(_ context.Context, users []*tables.User, _ *int, _ *string, _ *int, _ *string) ([]*model.UserConnection, error) {
	return lookUp(users, m.memory.followers), nil
}
func (m memoryUser) Twits(_ context.Context, users []*tables.User, _ *int, _ *string, _ *int, _ *string) ([]*model.TwitConnection, error) {
	return lookUp(users, m.memory.twits), nil
}

func lookUp[C any](users []*tables.User, of map[string]*C) []*C {
	all := make([]*C, len(users))
	for i, u := range users {
		all[i] = of[u.Username]
	}
	return all
}

// byHand is what somebody would write who had this one query to answer.
func (m *memory) byHand(dst []byte) []byte {
	user := func(u *tables.User) {
		dst = plan.AppendString(append(relay.AppendID(append(dst, `{"id":`...), u.ID()), `,"name":`...), *u.Name)
	}
	list := func(i int) {
		if i > 0 {
			dst = append(dst, ',')
		}
	}
	dst = append(dst, `{"users":{"nodes":[`...)
	for i, u := range m.users.Nodes {
		list(i)
		user(u)
		dst = append(dst, `,"followers":{"nodes":[`...)
		for j, f := range m.followers[u.Username].Nodes {
			list(j)
			user(f)
			dst = append(dst, `,"twits":{"nodes":[`...)
			for k, t := range m.twits[f.Username].Nodes {
				list(k)
				dst = plan.AppendString(append(relay.AppendID(append(dst, `{"id":`...), t.ID()), `,"content":`...), t.Content)
				dst = append(dst, '}')
			}
			dst = append(dst, `]}}`...)
		}
		dst = append(dst, `]}}`...)
	}
	return append(dst, `]}}`...)
}

// untold is for tasks of which nobody wants to know.
type untold struct{}

func (untold) Start(int)             {}
func (untold) End()                  {}
func (untold) Finish() map[any]error { return nil }

// answers returns a function that executes the reference query by a schema.
func answers(b *testing.B, schema graphql.ExecutableSchema) func() []byte {
	e := executor.New(schema)
	e.SetQueryCache(lru.New[*ast.QueryDocument](10))
	return func() []byte {
		ctx := graphql.StartOperationTrace(context.Background())
		op, errs := e.CreateOperationContext(ctx, &graphql.RawParams{Query: reference})
		if errs != nil {
			b.Fatal(errs)
		}
		respond, ctx := e.DispatchOperation(ctx, op)
		response := respond(ctx)
		if len(response.Errors) > 0 {
			b.Fatal(response.Errors)
		}
		plan.Release(response.Data) // nobody else takes it before it has been looked at
		return response.Data
	}
}

// BenchmarkExecutors compares the plan with gqlgen's executor and with a program made for the one query, over the same data in memory.
func BenchmarkExecutors(b *testing.B) {
	m := newMemory()
	config := exec.Config{Resolvers: memoryRoot{memory: m}}
	want := string(m.byHand(nil))
	var hand, planned float64
	var buffer []byte
	for _, by := range []struct {
		name   string
		answer func() []byte
		tell   func(b *testing.B, cpu float64)
	}{
		{"hand", func() []byte { buffer = m.byHand(buffer[:0]); return buffer }, func(_ *testing.B, cpu float64) { hand = cpu }},
		{"plan", answers(b, exec.NewPlannedSchema(config, func(context.Context) plan.Tasks { return untold{} })), func(b *testing.B, cpu float64) {
			planned = cpu
			compare(b, cpu, hand, "×hand")
		}},
		{"gqlgen", answers(b, exec.NewExecutableSchema(config)), func(b *testing.B, cpu float64) { compare(b, cpu, planned, "×plan") }},
	} {
		b.Run("by="+by.name, func(b *testing.B) {
			if got := by.answer(); string(got) != want {
				b.Fatalf("the answer is %.300s", got)
			}
			b.ReportAllocs()
			before := cpuTime(b)
			for b.Loop() {
				by.answer()
			}
			cpu := (cpuTime(b) - before).Seconds() * 1000 / float64(b.N)
			b.ReportMetric(cpu, "cpu-ms/op")
			by.tell(b, cpu)
		})
	}
}

// compare reports a ratio, if the other benchmark was run too.
func compare(b *testing.B, cpu, other float64, unit string) {
	if other > 0 {
		b.ReportMetric(cpu/other, unit)
	}
}

// cpuTime is what this process has used of all cores, garbage collection included.
func cpuTime(b *testing.B) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
