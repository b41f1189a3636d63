package minihbase

import (
	"fmt"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// attributes lets the kernel end the process when we die, however we die.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// CPU returns the time on the processor that master and region servers together have used so far, exact to the microsecond. It
// is an error when they have ended. Linux alone has it.
func (h *HBase) CPU() (time.Duration, error) { return CPUOf(h.process.pid) }

// CPUOf returns the time on the processor that any process has used so far, as CPU does.
func CPUOf(pid int) (time.Duration, error) {
	const perProcess = 2                         // CPUCLOCK_SCHED: of all threads, by the scheduler's own account
	clock := int32(^uint32(pid)<<3 | perProcess) // as clock_getcpuclockid(3) makes it
	var used unix.Timespec
	if err := unix.ClockGettime(clock, &used); err != nil {
		return 0, fmt.Errorf("the CPU time of process %d: %w", pid, err)
	}
	return time.Duration(used.Nano()), nil
}
