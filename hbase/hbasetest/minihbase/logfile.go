package minihbase

import (
	"bytes"
	"os"
	"strings"
	"sync"
)

const (
	tailLines = 60
	readyLine = "Master has completed initialization"
)

type logFile struct {
	file        *os.File
	initialized chan struct{}

	mu   sync.Mutex
	last []string
	rest []byte
	up   bool
}

func (l *logFile) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rest = append(l.rest, b...)
	for {
		line, rest, whole := bytes.Cut(l.rest, []byte("\n"))
		if !whole {
			break
		}
		l.add(string(line))
		l.rest = rest
	}
	return l.file.Write(b)
}

func (l *logFile) add(line string) {
	if !l.up && strings.Contains(line, readyLine) {
		l.up = true
		close(l.initialized)
	}
	if len(l.last) == tailLines {
		l.last = append(l.last[:0], l.last[1:]...)
	}
	l.last = append(l.last, line)
}

func (l *logFile) tail() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.file.Name() + " ends:\n" + strings.Join(l.last, "\n")
}

func (l *logFile) Close() error { return l.file.Close() }
