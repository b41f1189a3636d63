//go:build linux

package command

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"
)

// terminal returns one, and what ends it and returns all that was written to it.
func terminal(t *testing.T) (tty *os.File, written func() string) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { master.Close() })
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		tty, err = os.OpenFile(fmt.Sprint("/dev/pts/", number), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	return tty, collect(tty, master)
}

// collect reads what is written to one end at the other one.
func collect(in, out *os.File) (written func() string) {
	var all bytes.Buffer
	over := make(chan struct{})
	go func() {
		defer close(over)
		_, _ = io.Copy(&all, out) // of a terminal it fails in the end
	}()
	return func() string {
		in.Close()
		<-over
		return all.String()
	}
}

// visible is what a terminal shows in the end of what was written to it.
func visible(written string) string {
	var lines []string
	for line := range strings.SplitSeq(written, "\n") {
		var shown []rune
		at := 0
		for _, r := range line {
			switch {
			case r == '\r':
				at = 0
				continue
			case at < len(shown):
				shown[at] = r
			default:
				shown = append(shown, r)
			}
			at++
		}
		lines = append(lines, strings.TrimRight(string(shown), " "))
	}
	return strings.Join(lines, "\n")
}

const lookedAt = `\d+ rows read in \d+\.\d s\n`

func TestProgressBarOnATerminal(t *testing.T) {
	tty, written := terminal(t)
	p := newProgress(tty)
	const drawn = 150 * time.Millisecond // by when what is drawn ten times a second may be drawn again
	p.read("users", 5)
	time.Sleep(drawn)
	p.read("users", 7)
	p.above(func() { fmt.Fprintln(tty, "a breach") })
	time.Sleep(drawn)
	p.read("twits", 1)
	time.Sleep(drawn)
	p.read("twits", 1)
	p.end(nil)
	time.Sleep(drawn)
	all := written()
	for _, bar := range []string{"users (0/-", "users (12/-", "twits (12/-", "twits (14/-"} {
		if !strings.Contains(all, bar) {
			t.Errorf("there is no bar with %q: %q", bar, all)
		}
	}
	if shown := visible(all); !regexp.MustCompile(`^a breach\n` + lookedAt + `$`).MatchString(shown) {
		t.Errorf("in the end there is %q, after %q", shown, all)
	}
}

func TestRepairOnATerminal(t *testing.T) {
	t.Setenv("TWIBASE_LOG_LEVEL", "warn")
	store, _ := following(t)
	tty, written := terminal(t)
	status := Run(t.Context(), []string{"repair", "--store", store}, tty, tty)
	all := written()
	if shown := visible(all); status != 0 || !regexp.MustCompile(`^`+lookedAt+`0 violations found, 0 repaired\n$`).MatchString(shown) || !strings.Contains(all, "(0/-") {
		t.Errorf("status %d, %q, after %q", status, shown, all)
	}
}

func TestNoProgressBarOnAPipe(t *testing.T) {
	t.Setenv("TWIBASE_LOG_LEVEL", "warn")
	store, _ := following(t)
	var ends [2]*os.File
	var written [2]func() string
	for i := range ends {
		out, in, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer out.Close()
		ends[i], written[i] = in, collect(in, out)
	}
	status := Run(t.Context(), []string{"repair", "--store", store}, ends[0], ends[1])
	stdout, stderr := written[0](), written[1]()
	if status != 0 || stdout != "0 violations found, 0 repaired\n" || !regexp.MustCompile(`^`+lookedAt+`$`).MatchString(stderr) {
		t.Errorf("status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
}

func TestProgressLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		p := newProgress(&out)
		for range 12 {
			time.Sleep(2 * time.Second)
			p.read("users", 10)
		}
		p.end(nil)
		if want := "users: 60 rows\nusers: 120 rows\n120 rows read in 24.0 s\n"; out.String() != want {
			t.Errorf("%q, and not %q", out.String(), want)
		}
	})
}
