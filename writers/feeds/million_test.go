package feeds_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
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

// childDir names the store of which this program, run again as another process, does the jobs until it is killed.
const childDir = "TWIBASE_TEST_DIR"

func TestMain(m *testing.M) {
	dir := os.Getenv(childDir)
	if dir == "" {
		goleak.VerifyTestMain(m) // which exits
	}
	store, err := embedded.Open(dir)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	feeds.New(&telling{Store: store, out: os.Stdout, pause: time.Second * 1000 / time.Duration(many())}, feeds.Options{Limit: limitless}).Run(context.Background())
}

const limitless = 1 << 30

// telling is a store that tells how many mutations are done. It takes its time, so that who listens may do something before the next.
type telling struct {
	hbase.Store
	out   io.Writer
	done  int
	pause time.Duration
}

func (s *telling) Mutate(ctx context.Context, mutations []hbase.Mutation) ([]error, error) {
	errs, err := s.Store.Mutate(ctx, mutations)
	s.done += len(mutations)
	fmt.Fprintln(s.out, s.done)
	time.Sleep(s.pause)
	return errs, err
}

// many followers there are, of whom a million take half a minute.
func many() int {
	if os.Getenv("CI") != "" {
		return 1_000_000
	}
	return 20_000
}

func follower(i int) string { return fmt.Sprintf("f%07d", i) }

// manyFollow writes an author's list of followers, in buckets as a cut makes them.
func (w *world) manyFollow(n int) {
	w.Helper()
	since := w.now.Add(-time.Hour)
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
			w.write(hbase.Put{Table: tables.Followers.Table, Row: tables.Followers.Row(author, number), Cells: bucket})
			bucket = nil
		}
	}
	if directory != nil {
		w.write(hbase.Put{Table: tables.Followers.Table, Row: tables.Followers.Row(author, 0), Cells: directory})
	}
	w.write(tables.Users.Put(author, &tables.User{FollowerCount: &n}, 1))
}

func TestWhatAKilledProcessHadBegunIsBroughtToEachExactlyOnce(t *testing.T) {
	n, dir := many(), t.TempDir()
	store, err := embedded.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables.Definitions(1) {
		if err := store.CreateTable(t.Context(), table); err != nil {
			t.Fatal(err)
		}
	}
	w := &world{T: t, Store: store, now: time.Now()}
	w.manyFollow(n)
	twit := w.posts("x")
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	at := n/5 + rand.IntN(n/2)
	killedAt(t, dir, at)
	if w.Store, err = embedded.Open(dir); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	before := len(w.entries(twit))
	killed := time.Since(begun)
	if before < at || before == n {
		t.Fatalf("%d of %d timelines had the twit after a kill at %d", before, n, at)
	}
	w.now = time.Now().Add(time.Minute) // when its lease is over
	counted := &telling{Store: w.Store, out: io.Discard}
	w.Store = counted
	w.sweep(w.gateway(feeds.Options{Limit: limitless}))
	entries := w.entries(twit)
	if len(entries) != n {
		t.Errorf("%d of %d timelines have the twit", len(entries), n)
	}
	for i := range n {
		if got := entries[follower(i)]; got != 1 {
			t.Fatalf("the timeline of %s has it %d times", follower(i), got)
		}
	}
	t.Logf("%d followers: killed after %s, when %d had it; %d writes were left then, and it took %s in all", n, killed.Round(time.Millisecond), before,
		counted.done, time.Since(begun).Round(time.Millisecond))
}

// killedAt does the jobs in another process, and kills that when it has told of so many writes.
func killedAt(t *testing.T, dir string, writes int) {
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
		t.Fatal("it was not killed: ", err)
	}
}

// entries counts how often each timeline has a twit.
func (w *world) entries(twit *tables.Twit) map[string]int {
	w.Helper()
	entries := map[string]int{}
	for row, err := range w.Scan(w.Context(), hbase.Scan{Table: tables.Timelines.Table, Columns: tables.Timelines.Family, PageSize: 5000}) {
		if err != nil {
			w.Fatal(err)
		}
		owner, err := tables.OwnerOf(row.Key)
		if err != nil {
			w.Fatal(err)
		}
		for _, c := range row.Cells {
			if c.Qualifier == tables.Timelines.Position(twit.Key()) {
				entries[owner]++
			}
		}
	}
	return entries
}
