//go:build unix && !linux

package minihbase

import "syscall"

func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
