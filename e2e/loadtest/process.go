// Package loadtest sends requests to a gateway in its own process, to measure its CPU time and
// memory.
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

type Gateway struct {
	URL        string
	MetricsURL string
	cmd        *exec.Cmd
}

// Start returns when the program logs its URL as JSON to standard error.
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
	var output bytes.Buffer
	g := &Gateway{cmd: cmd}
	for lines.Scan() {
		var line struct{ URL string }
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.URL != "" {
			if monitor, is := strings.CutSuffix(line.URL, "/metrics"); is {
				g.MetricsURL = monitor
				continue
			}
			g.URL = line.URL
			go func() {
				printErrors(lines)
				_, _ = io.Copy(io.Discard, log) // otherwise its writes would block
			}()
			return g, nil
		}
		output.Write(append(lines.Bytes(), '\n'))
	}
	return nil, fmt.Errorf("%s did not start: %w\n%s", program, cmd.Wait(), &output)
}

func printErrors(lines *bufio.Scanner) {
	for printed := 0; printed < 10 && lines.Scan(); {
		if line := lines.Bytes(); bytes.Contains(line, []byte(`"level":"error"`)) ||
			bytes.Contains(line, []byte(`"level":"ERROR"`)) {
			fmt.Fprintf(os.Stderr, "%s\n", line)
			printed++
		}
	}
}

func (g *Gateway) CPU() (time.Duration, error) { return minihbase.CPUOf(g.cmd.Process.Pid) }

// Peak returns the maximum resident memory in bytes. It needs Linux.
func (g *Gateway) Peak() (int64, error) { return g.memory("VmHWM:") }

// Resident returns the resident memory in bytes. It needs Linux.
func (g *Gateway) Resident() (int64, error) { return g.memory("VmRSS:") }

// Anonymous is [Gateway.Resident] without files, such as the mapped program.
func (g *Gateway) Anonymous() (int64, error) { return g.memory("RssAnon:") }

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

func (g *Gateway) files() int {
	open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", g.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	return len(open)
}

func (g *Gateway) Stop() error {
	if err := g.cmd.Process.Signal(syscall.SIGINT); err != nil {
		return err
	}
	return g.cmd.Wait()
}
