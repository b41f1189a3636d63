// Command twibase is a GraphQL gateway over HBase.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"twibase/command"
)

func main() {
	// With Go's default of one sample per 512 KiB, the heap profile takes more CPU time, because
	// the stacks of resolvers are deep: see heap-profile in 'go -C bench run . without'. GODEBUG
	// can set another rate.
	if runtime.MemProfileRate == 512<<10 {
		runtime.MemProfileRate = 4 << 20
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		received := <-signals
		signal.Stop(signals) // a second signal ends the process immediately
		if received == syscall.SIGTERM {
			cancel(command.ErrTerminated)
		} else {
			cancel(context.Canceled)
		}
	}()
	os.Exit(command.Run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}
