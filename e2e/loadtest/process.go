// Package loadtest starts a gateway in a process of its own and asks it: only so is what it takes, time on the processor and memory, not that of
// whoever asks.
package loadtest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"twibase/hbase/hbasetest/minihbase"
)

// Gateway is a running process that serves GraphQL.
type Gateway struct {
	URL     string
	Monitor string // the URL of --metrics-listen, if that was asked for
	cmd     *exec.Cmd
}

// Start starts a program and returns when it says, in a line of JSON on its standard error, under which url it serves. It ends with ctx.
func Start(ctx context.Context, program string, args ...string) (*Gateway, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	log, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(log)
	var said bytes.Buffer
	g := &Gateway{cmd: cmd}
	for lines.Scan() {
		var line struct{ URL string }
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.URL != "" {
			if monitor, is := strings.CutSuffix(line.URL, "/metrics"); is {
				g.Monitor = monitor
				continue
			}
			g.URL = line.URL
			go func() {
				passOn(lines)
				_, _ = io.Copy(io.Discard, log) // or it would wait for us
			}()
			return g, nil
		}
		said.Write(append(lines.Bytes(), '\n'))
	}
	return nil, fmt.Errorf("%s did not start: %w\n%s", program, cmd.Wait(), &said)
}

// passOn prints the first lines that tell what went wrong.
func passOn(lines *bufio.Scanner) {
	for told := 0; told < 10 && lines.Scan(); {
		if line := lines.Bytes(); bytes.Contains(line, []byte(`"level":"error"`)) || bytes.Contains(line, []byte(`"level":"ERROR"`)) {
			fmt.Fprintf(os.Stderr, "%s\n", line)
			told++
		}
	}
}

// CPU returns the time on the processor that the gateway has used so far.
func (g *Gateway) CPU() (time.Duration, error) { return minihbase.CPUOf(g.cmd.Process.Pid) }

// Peak returns the greatest amount of memory in bytes that the gateway ever had resident. Linux alone has it.
func (g *Gateway) Peak() (int64, error) { return g.memory("VmHWM:") }

// Resident returns how much memory in bytes the gateway has resident. Linux alone has it.
func (g *Gateway) Resident() (int64, error) { return g.memory("VmRSS:") }

func (g *Gateway) memory(what string) (int64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", g.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(status), what)
	kilobytes, _, _ := strings.Cut(rest, "kB")
	n, err := strconv.ParseInt(strings.TrimSpace(kilobytes), 10, 64)
	return n << 10, err
}

// files is how many files and connections the gateway has open.
func (g *Gateway) files() int {
	open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", g.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	return len(open)
}

// Stop ends the gateway and waits for it.
func (g *Gateway) Stop() error {
	if err := g.cmd.Process.Signal(syscall.SIGINT); err != nil {
		return err
	}
	return g.cmd.Wait()
}
