// Command twibase is a GraphQL gateway over HBase.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"twibase/command"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(command.Run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}
