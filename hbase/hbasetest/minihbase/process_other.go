//go:build unix && !linux

package minihbase

import (
	"errors"
	"syscall"
	"time"
)

func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// CPU returns [errors.ErrUnsupported].
func (h *HBase) CPU() (time.Duration, error) { return 0, errors.ErrUnsupported }

// CPUOf returns [errors.ErrUnsupported].
func CPUOf(int) (time.Duration, error) { return 0, errors.ErrUnsupported }
