//go:build linux

package kill

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"twibase/hbase/hbasetest/minihbase"
	"twibase/hbase/tables"
	"twibase/hbase/tables/tablestest"
)

// witness is testdata/Witness.java, with HBase's own client.
type witness struct {
	reads, writes group
	in            io.Writer
	results       chan string
}

const defaultRegions = 8

func row(how, table, key string) string {
	return fmt.Sprintf("%s/%s/%x/%s", how, table, key, tables.Attributes)
}

func startWitness(t *testing.T, h *minihbase.Distributed, usernames []string) *witness {
	t.Helper()
	var read, written []string
	for _, name := range usernames {
		read = append(read, row("r", tables.Users.Table, tables.RowKey(name)))
		written = append(written, row("w", tables.Users.Table, tables.RowKey(name)))
	}
	intents := tablestest.Definition(tables.Intents.Table, defaultRegions)
	for _, start := range append(intents.Splits, "") {
		written = append(written, row("w", intents.Name, start+"\x00"))
	}
	w := &witness{reads: newGroup(1), writes: newGroup(len(written)), results: make(chan string, 1)}
	args := append(h.JavaClient(), filepath.Join("testdata", "Witness.java"))
	java := exec.CommandContext(t.Context(), "java", append(append(args, written...), read...)...)
	java.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	java.WaitDelay = time.Second
	log, err := os.Create(filepath.Join(t.TempDir(), "witness.log"))
	if err != nil {
		t.Fatal(err)
	}
	java.Stderr = log
	out, err := java.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if w.in, err = java.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := java.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.listen(out)
	}()
	t.Cleanup(func() {
		_ = java.Process.Kill()
		<-ended
		_ = java.Wait()
		log.Close()
	})
	return w
}

func (w *witness) listen(out io.Reader) {
	for lines := bufio.NewScanner(out); lines.Scan(); {
		switch word, rest, _ := strings.Cut(lines.Text(), " "); word {
		case "r":
			w.reads[0].succeed()
		case "w":
			if i, err := strconv.Atoi(rest); err == nil {
				w.writes[i].succeed()
			}
		default:
			w.results <- lines.Text()
		}
	}
	close(w.results)
}

func (w *witness) do(t *testing.T, format string, args ...any) string {
	t.Helper()
	command := fmt.Sprintf(format, args...)
	if _, err := fmt.Fprintln(w.in, command); err != nil {
		t.Fatal(err)
	}
	select {
	case line := <-w.results:
		result, ok := strings.CutPrefix(line, "done")
		if !ok {
			t.Errorf("%s: %s", command, line)
		}
		return strings.TrimSpace(result)
	case <-time.After(2 * time.Minute):
		t.Fatalf("%s: no result", command)
		return ""
	}
}
