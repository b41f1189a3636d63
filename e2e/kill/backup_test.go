//go:build linux

package kill

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tsuna/gohbase"
	"github.com/tsuna/gohbase/hrpc"
	"golang.org/x/sync/errgroup"

	"twibase/hbase/hbasetest/minihbase"
	"twibase/hbase/tables"
)

const kept = 20

// The test follows docs/OPERATIONS.md while clients write.
func TestSnapshotsUnderLoadAreABackup(t *testing.T) {
	minihbase.Slow(t)
	t.Logf("-seed %d", *seed)
	h, err := minihbase.StartWith(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Kill)
	f := newFixture(t, h.URL(), 2, writers, rand.New(rand.NewPCG(*seed, 2)).Uint64())
	f.pause = 50 * time.Millisecond // the snapshots of all tables take half a minute
	f.start(t)
	for i := range kept {
		f.keep(t, i)
	}
	end := f.load()
	defer end()
	f.awaitAcknowledgements(t)
	if status, out := command(t, "repair", "--check", "--store", f.store); status != 0 {
		t.Errorf("repair --check with live gateways: status %d\n%s", status, out)
	}
	b := newBackup(t, h.URL())
	b.take(t)
	f.awaitAcknowledgements(t)
	end()
	for _, g := range f.gateways {
		g.stop(syscall.SIGTERM)
	}
	b.restore(t)
	status, out := command(t, "repair", "--store", f.store)
	if status != 0 {
		t.Fatalf("repair: status %d\n%s", status, out)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	t.Log("after the restore: ", lines[len(lines)-1])
	if status, out := command(t, "repair", "--check", "--store", f.store); status != 0 {
		t.Fatalf("repair --check after the repair: status %d\n%s", status, out)
	}
	f.start(t)
	for i := range kept {
		f.checkKept(t, i)
	}
	for _, failure := range f.failures {
		t.Error(failure)
	}
}

func (f *fixture) keep(t *testing.T, i int) {
	t.Helper()
	name := fmt.Sprint("kept", i)
	for _, step := range []struct{ viewer, mutation string }{
		{"", fmt.Sprintf(`createUser(input:{username:%q,name:"Kept"}){userErrors{message}}`, name)},
		{name, `follow(input:{username:"star"}){userErrors{message}}`},
		{name, `postTwit(input:{content:"kept"}){userErrors{message}}`},
	} {
		data, errs, err := f.query(0, step.viewer, "mutation{object:"+step.mutation+"}", nil)
		if err != nil || len(errs) > 0 || len(list(dig(data, "object", "userErrors"))) > 0 {
			t.Fatal(step.mutation, data, errs, err)
		}
	}
}

func (f *fixture) checkKept(t *testing.T, i int) {
	t.Helper()
	user, err := f.object(fmt.Sprintf(
		`user(username:"kept%d"){name following{nodes{username}} twits{nodes{content}}}`, i))
	const want = "map[following:map[nodes:[map[username:star]]] name:Kept twits:map[nodes:[map[content:kept]]]]"
	if got := fmt.Sprint(user); err != nil || got != want {
		t.Errorf("kept%d is %s, error %v; want %s", i, got, err, want)
	}
}

type backup struct{ admin gohbase.AdminClient }

func newBackup(t *testing.T, url string) backup {
	t.Helper()
	quorum, _, _ := strings.Cut(strings.TrimPrefix(url, "hbase://"), "/")
	return backup{gohbase.NewAdminClient(quorum)}
}

func (b backup) take(t *testing.T) {
	t.Helper()
	b.eachTable(t, 1, func(ctx context.Context, table string) error {
		s, err := hrpc.NewSnapshot(ctx, table+"-backup", table)
		if err != nil {
			return err
		}
		return b.admin.CreateSnapshot(s)
	})
}

func (b backup) restore(t *testing.T) {
	t.Helper()
	b.eachTable(t, 8, func(ctx context.Context, table string) error {
		if err := b.admin.DisableTable(hrpc.NewDisableTable(ctx, []byte(table))); err != nil {
			return err
		}
		s, err := hrpc.NewSnapshot(ctx, table+"-backup", table)
		if err != nil {
			return err
		}
		if err := b.admin.RestoreSnapshot(s); err != nil {
			return err
		}
		return b.admin.EnableTable(hrpc.NewEnableTable(ctx, []byte(table)))
	})
}

func (b backup) eachTable(t *testing.T, parallel int, do func(ctx context.Context, table string) error) {
	t.Helper()
	began := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallel)
	for _, table := range tables.Definitions(1) {
		group.Go(func() error {
			if err := do(ctx, table.Name); err != nil {
				return fmt.Errorf("table %s: %w", table.Name, err)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d tables in %v", len(tables.Definitions(1)), time.Since(began).Round(time.Millisecond))
}
