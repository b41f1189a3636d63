package differential

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"twibase/hbase"
	"twibase/hbase/cluster"
	"twibase/hbase/embedded"
	"twibase/hbase/hbasetest/minihbase"
)

const (
	// Sequences per table, and operations per sequence.
	sideBySide = 128
	length     = 50
	// replays bounds shrinking to a minute or two.
	replays = 400
	timeout = time.Minute
)

func TestMain(m *testing.M) { os.Exit(minihbase.Main(m)) }

func TestEmbeddedEngineAgreesWithHBase(t *testing.T) {
	usual := 20_000
	if os.Getenv("CI") == "" {
		usual = 10_000
	}
	operations := environment(t, "OPERATIONS", usual)
	seed := uint64(environment(t, "SEED", int(rand.Int64())))
	t.Logf("SEED=%d OPERATIONS=%d", seed, operations)
	both := open(t)
	start, done := time.Now(), 0
	for table := uint64(0); done < operations; table++ {
		if !t.Run(fmt.Sprintf("SEED=%d", seed+table), func(t *testing.T) { runTable(t, both, seed+table) }) {
			return
		}
		done += sideBySide * length
	}
	t.Logf("%d operations without a difference, in %s", done, time.Since(start).Round(time.Second))
}

func environment(t *testing.T, name string, otherwise int) int {
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s must be a number: %v", name, err)
	}
	return n
}

func open(t *testing.T) engines {
	url := minihbase.ForTest(t)
	theirs, err := cluster.Open(t.Context(), url, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { theirs.Close() })
	ours, err := embedded.Open("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ours.Close() })
	return engines{embedded: ours, cluster: theirs}
}

func runTable(t *testing.T, both engines, seed uint64) {
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	random := rand.New(rand.NewPCG(seed, 0))
	sequences := make([][]operation, sideBySide)
	ranges := make([]rowRange, sideBySide)
	table := newTable(t, both)
	for i := range sequences {
		ranges[i] = rowRange{table, prefix(i)}
		for range length {
			sequences[i] = append(sequences[i], generator{random}.operation())
		}
	}
	for n := range length {
		operations := make([]operation, sideBySide)
		for i := range operations {
			operations[i] = sequences[i][n]
		}
		for i, difference := range both.step(ctx, operations, ranges) {
			report(t, both, sequences[i][:n+1], difference)
			return
		}
	}
}

func prefix(sequence int) string { return fmt.Sprintf("%03d/", sequence) }

// The table's regions begin in the middle of the rows of some sequences.
func newTable(t *testing.T, both engines) string {
	table := hbase.Table{Name: fmt.Sprintf("differential-%x", rand.Uint64()), Families: families}
	for i := 0; i < sideBySide; i += 16 {
		table.Splits = append(table.Splits, prefix(i)+"b\x00")
	}
	for _, store := range []hbase.Store{both.cluster, both.embedded} {
		if err := store.CreateTable(t.Context(), table); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := store.DropTable(context.Background(), table.Name); err != nil {
				t.Error(err)
			}
		})
	}
	return table.Name
}

func report(t *testing.T, both engines, sequence []operation, difference string) {
	table, tried := newTable(t, both), 0
	fails := func(candidate []operation) []operation {
		if tried++; tried > replays {
			return nil
		}
		n, found := replay(t, both, candidate, table, tried)
		if n == 0 {
			return nil
		}
		difference = found
		return candidate[:n]
	}
	if fails(sequence) == nil {
		t.Errorf("the engines differ, but not if the sequence runs alone:\n%s\n\n%s", printed(sequence), difference)
		return
	}
	shrunk := shrink(sequence, fails)
	if n, found := replay(t, both, shrunk, table, 0); n > 0 {
		difference = found
	}
	t.Errorf("the engines differ after %d operations:\n%s\n\n%s", len(shrunk), printed(shrunk), difference)
}

func replay(t *testing.T, both engines, candidate []operation, table string, n int) (int, string) {
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	return both.replay(ctx, candidate, rowRange{table, fmt.Sprintf("%s%05d/", prefix(0), n)})
}
