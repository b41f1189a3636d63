package embedded

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"twibase/hbase"
)

const (
	childJob = "TWIBASE_TEST_CHILD"
	childDir = "TWIBASE_TEST_DIR"
)

func TestMain(m *testing.M) {
	switch os.Getenv(childJob) {
	case "":
		goleak.VerifyTestMain(m)
	case "open":
		s, err := Open(os.Getenv(childDir))
		fmt.Println(err)
		if err == nil {
			s.Close()
		}
	default:
		writeUntilKilled(os.Getenv(childDir), os.Getenv(childJob))
	}
}

func child(t *testing.T, dir, job string) (*exec.Cmd, io.Reader) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childJob+"="+job, childDir+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, out
}

// The child prints acknowledged writes: kind, worker, and number of the worker's write.
const (
	ackPut   = "put"
	ackCheck = "check"
)

func writeUntilKilled(dir, round string) {
	s, err := Open(dir)
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	_ = s.CreateTable(ctx, hbase.Table{Name: "t", Families: []hbase.FamilySchema{{Name: "i"}, {Name: "f"}}})
	var mu sync.Mutex
	ack := func(kind string, worker, n int) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Println(kind, worker, n)
	}
	var group sync.WaitGroup
	for worker := range 8 {
		group.Go(func() {
			for n := 1; ; n++ {
				switch worker % 4 {
				case 0, 1:
					if errs, err := s.Mutate(ctx, crashBatch(round, worker, n)); errs != nil || err != nil {
						panic(fmt.Sprint(errs, err))
					}
					ack(ackPut, worker, n)
				case 2, 3:
					cell := hbase.Cell{Family: "i", Qualifier: "n", Value: crashNumber(n)}
					put := hbase.Put{Table: "t", Row: crashRow(round, ackCheck, worker, 0), Cells: []hbase.Cell{cell}}
					var old []byte
					if n > 1 {
						old = crashNumber(n - 1)
					}
					check := hbase.Check{Family: "i", Qualifier: "n", Value: old}
					if done, err := s.CheckAndPut(ctx, check, put); !done || err != nil {
						panic(fmt.Sprint(done, err))
					}
					ack(ackCheck, worker, n)
				}
			}
		})
	}
	group.Wait()
}

func crashNumber(n int) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }

func crashRow(round, kind string, worker, n int) string {
	return fmt.Sprintf("%s/%s/%d/%d", round, kind, worker, n)
}

func crashBatch(round string, worker, n int) (batch []hbase.Mutation) {
	for i := range 3 {
		row := crashRow(round, ackPut, worker, 3*n+i)
		batch = append(batch, hbase.Put{Table: "t", Row: row, Cells: []hbase.Cell{
			{Family: "i", Qualifier: "row", Timestamp: 1, Value: []byte(row)},
			{Family: "f", Qualifier: "row", Timestamp: 1, Value: []byte(row)},
		}})
	}
	return batch
}

func acknowledged(out io.Reader, first func()) map[string]int {
	last := map[string]int{}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		var kind string
		var worker, n int
		// The kill may cut the last line.
		if _, err := fmt.Sscanf(lines.Text()+"\n", "%s %d %d\n", &kind, &worker, &n); err == nil {
			if len(last) == 0 {
				first()
			}
			key := fmt.Sprint(kind, " ", worker)
			last[key] = max(last[key], n)
		}
	}
	return last
}
