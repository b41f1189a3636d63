package minihbase

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// process is the Java process, which is a process group of its own: a Ctrl-C in the terminal is for us alone to act on.
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
		// The death of the thread that started a process, not of its whole program, is what the kernel's parent-death
		// signal goes by: that thread must live as long as the process.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		if err == nil {
			p.pid = cmd.Process.Pid
		}
		started <- err
		if err == nil {
			_ = cmd.Wait() // how it ended is in its log
			close(p.done)
		}
		log.Close()
	}()
	return p, <-started
}

// kill ends the process and all that it started.
func (p *process) kill() {
	select {
	case <-p.done: // it has been waited for, and its id may be another's
	default:
		_ = syscall.Kill(-p.pid, syscall.SIGKILL)
		<-p.done
	}
}

// signal sends a signal to the process, if it has not ended.
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
