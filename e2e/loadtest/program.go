package loadtest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"twibase/hbase/hbasetest/minihbase"
)

// Program builds twibase from the current code, once per process. All test programs use the same
// file, so that only the first one links it.
var Program = sync.OnceValues(func() (string, error) {
	module, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOMOD: %w", err)
	}
	folder := filepath.Join(filepath.Dir(strings.TrimSpace(string(module))), ".cache")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	program := filepath.Join(folder, "twibase")
	unlock, err := minihbase.Lock(context.Background(), program+".lock")
	if err != nil {
		return "", err
	}
	defer unlock()
	build := exec.Command("go", "build", "-o", program, "twibase")
	build.Env = append(os.Environ(), "GOTMPDIR="+folder) // go build renames within a file system, and copies to another
	if output, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, output)
	}
	return program, nil
})
