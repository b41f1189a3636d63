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

var errDead = errors.New("the store died")

// mortal is a store that dies after so many mutations, in the middle of a batch: some of it is written, in no order.
type mortal struct {
	hbase.Store
	mu   sync.Mutex
	left int
	rand *rand.Rand
}

func (m *mortal) Mutate(ctx context.Context, mutations []hbase.Mutation) ([]error, error) {
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

func TestAnImportThatDiedIsCompletedByTheNext(t *testing.T) {
	r := seeded(t)
	w := crowded(t)
	for _, bound := range []int{0, 10} {
		t.Run(fmt.Sprint("bound ", bound), func(t *testing.T) {
			whole := openStore(t)
			load(t, whole, w.files(), Options{ListBound: bound})
			want := dump(t, whole)
			store := openStore(t)
			died := 0
			for {
				m := &mortal{Store: store, left: r.IntN(1500), rand: r}
				_, err := ImportFiles(context.Background(), m, w.files(), Options{ListBound: bound})
				if err == nil {
					break
				}
				if !errors.Is(err, errDead) {
					t.Fatal(err)
				}
				if died++; died > 200 {
					t.Fatal("200 imports died, and the next one still has to write 1500 rows")
				}
			}
			t.Logf("died %d times", died)
			if diff := cmp.Diff(want, dump(t, store)); diff != "" {
				t.Errorf("(-at once +after %d deaths):\n%s", died, diff)
			}
		})
	}
}

// childSetting makes the test binary an import of the folder into the directory.
const childSetting = "TWIBASE_TEST_IMPORT"

// announcing tells of each batch before it writes it.
type announcing struct{ hbase.Store }

func (a announcing) Mutate(ctx context.Context, mutations []hbase.Mutation) ([]error, error) {
	fmt.Println("batch")
	return a.Store.Mutate(ctx, mutations)
}

func TestChild(t *testing.T) {
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
	load(t, announcing{store}, crowdedBy(rand.New(rand.NewPCG(1, 1))).files(), Options{ListBound: 10})
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestAnImportThatWasKilledIsCompletedByTheNext(t *testing.T) {
	w := crowdedBy(rand.New(rand.NewPCG(1, 1)))
	whole := openStore(t)
	load(t, whole, w.files(), Options{ListBound: 10})
	want := dump(t, whole)
	r := seeded(t)
	dir := t.TempDir()
	killed := 0
	for batches := 1 + r.IntN(8); !importInChild(t, dir, batches); batches += r.IntN(20) {
		killed++
	}
	t.Logf("killed %d times", killed)
	store, err := embedded.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if diff := cmp.Diff(want, dump(t, store)); diff != "" || killed == 0 {
		t.Errorf("after %d kills (-at once +killed):\n%s", killed, diff)
	}
}

// importInChild runs an import in a process of its own, and kills that when it has announced so many batches. It reports whether the import
// came to its end before.
func importInChild(t *testing.T, dir string, batches int) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	child := exec.CommandContext(ctx, os.Args[0], "-test.run", "^TestChild$")
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
