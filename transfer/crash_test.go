package transfer

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"twibase/hbase"
	"twibase/hbase/embedded"
)

var errDead = errors.New("injected: the process died")

// dyingStore applies a random part of its last batch.
type dyingStore struct {
	hbase.Store
	mu   sync.Mutex
	left int
	rand *rand.Rand
}

func (m *dyingStore) Mutate(ctx context.Context, mutations []hbase.Mutation) ([]error, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.left >= len(mutations) {
		m.left -= len(mutations)
		return m.Store.Mutate(ctx, mutations)
	}
	some := make([]hbase.Mutation, 0, m.left)
	for _, i := range m.rand.Perm(len(mutations))[:m.left] {
		some = append(some, mutations[i])
	}
	m.left = 0
	if _, err := m.Store.Mutate(ctx, some); err != nil && len(some) > 0 {
		return nil, err
	}
	return nil, errDead
}

func TestImportCompletesAnInterruptedOne(t *testing.T) {
	r := seeded(t)
	d := longLists(t)
	for _, bound := range []int{0, 10} {
		t.Run(fmt.Sprint("bound ", bound), func(t *testing.T) {
			whole := openStore(t)
			load(t, whole, d.files(), Options{ListBound: bound})
			want := dump(t, whole)
			store := openStore(t)
			died := 0
			for {
				// An import repeats up to about 1,000 mutations of an interrupted import.
				m := &dyingStore{Store: store, left: r.IntN(2500), rand: r}
				_, err := ImportFiles(context.Background(), m, d.files(), Options{ListBound: bound})
				if err == nil {
					break
				}
				if !errors.Is(err, errDead) {
					t.Fatal(err)
				}
				if died++; died > 200 {
					t.Fatal("got no progress in 200 imports")
				}
			}
			t.Logf("%d interruptions", died)
			if diff := cmp.Diff(want, dump(t, store)); diff != "" {
				t.Errorf("after %d interruptions (-uninterrupted +got):\n%s", died, diff)
			}
		})
	}
}

const childSetting = "TWIBASE_TEST_IMPORT"

type announcing struct{ hbase.Store }

func (a announcing) Mutate(ctx context.Context, mutations []hbase.Mutation) ([]error, error) {
	fmt.Println("batch")
	return a.Store.Mutate(ctx, mutations)
}

func TestChildImports(t *testing.T) {
	dir := os.Getenv(childSetting)
	if dir == "" {
		return
	}
	store, err := embedded.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := EnsureTables(context.Background(), store, 1); err != nil {
		t.Fatal(err)
	}
	load(t, announcing{store}, longListsBy(rand.New(rand.NewPCG(1, 1))).files(), Options{ListBound: 10})
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestImportCompletesAKilledOne(t *testing.T) {
	d := longListsBy(rand.New(rand.NewPCG(1, 1)))
	whole := openStore(t)
	load(t, whole, d.files(), Options{ListBound: 10})
	want := dump(t, whole)
	r := seeded(t)
	dir := t.TempDir()
	killed := 0
	for batches := 1 + r.IntN(8); !importInChild(t, dir, batches); batches += r.IntN(20) {
		killed++
	}
	t.Logf("%d kills", killed)
	store, err := embedded.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if diff := cmp.Diff(want, dump(t, store)); diff != "" || killed == 0 {
		t.Errorf("after %d kills (-uninterrupted +got):\n%s", killed, diff)
	}
}

// importInChild returns true if the child completed the import before it was killed.
func importInChild(t *testing.T, dir string, batches int) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	child := exec.CommandContext(ctx, os.Args[0], "-test.run", "^TestChildImports$")
	child.Env = append(os.Environ(), childSetting+"="+dir)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	var last string
	for lines.Scan() {
		if last = lines.Text(); last != "batch" {
			continue
		}
		if batches--; batches == 0 {
			_ = child.Process.Kill()
		}
	}
	err = child.Wait()
	if batches > 0 && err != nil {
		t.Fatalf("the import failed: %v: %s", err, last)
	}
	return err == nil
}
