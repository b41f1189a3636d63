package minihbase

import "syscall"

// attributes lets the kernel end the process when we die, however we die.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
