package command

import (
	"bytes"
	"io"
	"os"
	"regexp"
	"testing"
	"testing/synctest"
	"time"
)

func collect(in, out *os.File) (written func() string) {
	var all bytes.Buffer
	over := make(chan struct{})
	go func() {
		defer close(over)
		_, _ = io.Copy(&all, out)
	}()
	return func() string {
		in.Close()
		<-over
		return all.String()
	}
}

const progressEnd = `\d+ rows read in \d+\.\d s\n`

func TestRepairOnAPipeWritesNoControlCharacters(t *testing.T) {
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
	if status != 0 || stdout != "0 violations found, 0 repaired\n" ||
		!regexp.MustCompile(`^`+progressEnd+`$`).MatchString(stderr) {
		t.Errorf("status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
}

func TestProgressIsPrintedPeriodically(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		p := newProgress(&out)
		for range 12 {
			time.Sleep(2 * time.Second)
			p.read("users", 10)
		}
		p.end()
		if want := "users: 60 rows\nusers: 120 rows\n120 rows read in 24.0 s\n"; out.String() != want {
			t.Errorf("got %q, want %q", out.String(), want)
		}
	})
}
