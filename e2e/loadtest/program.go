package loadtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
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
	// The operating system unlocks the file when it is closed.
	lock, err := os.OpenFile(program+".lock", os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return "", err
	}
	defer lock.Close()
	for err = syscall.EINTR; err == syscall.EINTR; {
		err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX)
	}
	if err != nil {
		return "", fmt.Errorf("lock %s: %w", lock.Name(), err)
	}
	if output, err := exec.Command("go", "build", "-o", program, "twibase").CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, output)
	}
	return program, nil
})
