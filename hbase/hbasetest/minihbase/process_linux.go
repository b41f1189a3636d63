package minihbase

import (
	"fmt"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

func (h *HBase) CPU() (time.Duration, error) { return CPUOf(h.process.pid) }

func CPUOf(pid int) (time.Duration, error) {
	const perProcess = 2                         // CPUCLOCK_SCHED: all threads
	clock := int32(^uint32(pid)<<3 | perProcess) // see clock_getcpuclockid(3)
	var used unix.Timespec
	if err := unix.ClockGettime(clock, &used); err != nil {
		return 0, fmt.Errorf("the CPU time of process %d: %w", pid, err)
	}
	return time.Duration(used.Nano()), nil
}
