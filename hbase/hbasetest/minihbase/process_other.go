//go:build unix && !linux

package minihbase

import (
	"errors"
	"syscall"
	"time"
)

func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func (h *HBase) CPU() (time.Duration, error) { return 0, errors.ErrUnsupported }

func CPUOf(int) (time.Duration, error) { return 0, errors.ErrUnsupported }
