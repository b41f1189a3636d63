//go:build unix && !linux

package minihbase

import (
	"errors"
	"syscall"
	"time"
)

func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// CPU is known on Linux alone.
func (h *HBase) CPU() (time.Duration, error) { return 0, errors.ErrUnsupported }

// CPUOf is known on Linux alone.
func CPUOf(int) (time.Duration, error) { return 0, errors.ErrUnsupported }
