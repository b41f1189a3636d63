package minihbase

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// process has its own process group, so Ctrl-C does not end it.
type process struct {
	pid  int
	log  *logFile
	done chan struct{}
}

func startProcess(logName, command string, args ...string) (*process, error) {
	log, err := createLog(logName)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(command, args...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = attributes()
	p := &process{log: log, done: make(chan struct{})}
	started := make(chan error)
	go func() {
		// The kernel sends the parent-death signal when the starting thread ends.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		if err == nil {
			p.pid = cmd.Process.Pid
		}
		started <- err
		if err == nil {
			_ = cmd.Wait() // the log has the reason
			close(p.done)
		}
		log.Close()
	}()
	return p, <-started
}

func (p *process) kill() {
	select {
	case <-p.done: // its id may be reused
	default:
		_ = syscall.Kill(-p.pid, syscall.SIGKILL)
		<-p.done
	}
}

func (p *process) signal(signal syscall.Signal) {
	select {
	case <-p.done:
	default:
		_ = syscall.Kill(p.pid, signal)
	}
}

func createLog(name string) (*logFile, error) {
	f, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	return &logFile{file: f, initialized: make(chan struct{})}, nil
}
