package feeds_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"twibase/hbase"
	"twibase/hbase/embedded"
	"twibase/hbase/tables"
	"twibase/writers/feeds"
)

// The child process runs jobs on this store until it is killed.
const childDir = "TWIBASE_TEST_DIR"

func TestMain(m *testing.M) {
	dir := os.Getenv(childDir)
	if dir == "" {
		debug.SetGCPercent(400) // small heap, much garbage
		goleak.VerifyTestMain(m)
	}
	store, err := embedded.Open(dir)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	pause := time.Second * 1000 / time.Duration(followerCount())
	counted := &countingStore{Store: store, out: os.Stdout, pause: pause}
	feeds.New(counted, feeds.Options{Limit: limitless}).Run(context.Background())
}

const limitless = 1 << 30

// countingStore pauses after each call, so that the parent can react.
type countingStore struct {
	hbase.Store
	out   io.Writer
	done  int
	pause time.Duration
}

func (s *countingStore) Mutate(ctx context.Context, mutations []hbase.Mutation) ([]error, error) {
	errs, err := s.Store.Mutate(ctx, mutations)
	s.done += len(mutations)
	fmt.Fprintln(s.out, s.done)
	time.Sleep(s.pause)
	return errs, err
}

func followerCount() int {
	if os.Getenv("CI") != "" {
		return 1_000_000 // half a minute
	}
	return 20_000
}

func follower(i int) string { return fmt.Sprintf("f%07d", i) }

// writeFollowers writes buckets as splits do.
func (fx *fixture) writeFollowers(n int) {
	fx.Helper()
	since := fx.now.Add(-time.Hour)
	var directory, bucket []hbase.Cell
	for i := range n {
		bucket = append(bucket, tables.Followers.Cell(tables.Follow{Username: follower(i), At: since}, 1))
		if number := uint32(i / tables.ListBound); (i+1)%tables.ListBound == 0 || i == n-1 {
			b := tables.Bucket{Number: number, Start: bucket[0].Qualifier}
			if i < n-1 {
				b.Stop = tables.Followers.Position(tables.Follow{Username: follower(i + 1), At: since})
			}
			if number > 0 {
				directory = append(directory, tables.Followers.BucketCell(b, 1))
			}
			fx.write(hbase.Put{Table: tables.Followers.Table, Row: tables.Followers.Row(author, number), Cells: bucket})
			bucket = nil
		}
	}
	if directory != nil {
		fx.write(hbase.Put{Table: tables.Followers.Table, Row: tables.Followers.Row(author, 0), Cells: directory})
	}
	fx.write(tables.Users.Put(author, &tables.User{FollowerCount: &n}, 1))
}

func TestKilledDeliveryCompletesExactlyOnce(t *testing.T) {
	n, dir := followerCount(), t.TempDir()
	store, err := embedded.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables.Definitions(1) {
		if err := store.CreateTable(t.Context(), table); err != nil {
			t.Fatal(err)
		}
	}
	fx := &fixture{T: t, Store: store, now: time.Now()}
	fx.writeFollowers(n)
	twit := fx.post("x")
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	at := n/5 + rand.IntN(n/2)
	runAndKill(t, dir, at)
	if fx.Store, err = embedded.Open(dir); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { fx.Close() })
	before := len(fx.entries(twit))
	killed := time.Since(begun)
	if before < at || before == n {
		t.Fatalf("got the twit in %d of %d timelines after a kill at %d", before, n, at)
	}
	fx.now = time.Now().Add(time.Minute)
	counted := &countingStore{Store: fx.Store, out: io.Discard}
	fx.Store = counted
	fx.sweep(fx.gateway(feeds.Options{Limit: limitless}))
	entries := fx.entries(twit)
	if len(entries) != n {
		t.Errorf("got the twit in %d timelines, want %d", len(entries), n)
	}
	for i := range n {
		if got := entries[follower(i)]; got != 1 {
			t.Fatalf("got the twit %d times in the timeline of %s, want once", got, follower(i))
		}
	}
	t.Logf("%d followers: killed after %s and %d deliveries; %d writes after that; %s in all", n,
		killed.Round(time.Millisecond), before, counted.done, time.Since(begun).Round(time.Millisecond))
}

func runAndKill(t *testing.T, dir string, writes int) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childDir+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		done, err := strconv.Atoi(lines.Text())
		if err != nil {
			t.Error(lines.Text())
		}
		if err != nil || done >= writes {
			break
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Fatalf("got exit %v, want killed", err)
	}
}

func (fx *fixture) entries(twit *tables.Twit) map[string]int {
	fx.Helper()
	entries := map[string]int{}
	scan := hbase.Scan{Table: tables.Timelines.Table, Columns: tables.Timelines.Family, PageSize: 5000}
	for row, err := range fx.Scan(fx.Context(), scan) {
		if err != nil {
			fx.Fatal(err)
		}
		owner, err := tables.OwnerOf(row.Key)
		if err != nil {
			fx.Fatal(err)
		}
		for _, c := range row.Cells {
			if c.Qualifier == tables.Timelines.Position(twit.Key()) {
				entries[owner]++
			}
		}
	}
	return entries
}
