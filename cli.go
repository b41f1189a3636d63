package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/alecthomas/kong"
	"github.com/rs/zerolog"
)

const description = `twibase is a GraphQL gateway over HBase. It runs on one machine with an embedded store, and unchanged on an HBase cluster.

A first look: twibase serve, then open http://127.0.0.1:8080 in a browser.

Every flag has an environment variable of its name, such as TWIBASE_JWT_SECRET_FILE for --jwt-secret-file.
The exit status is 0 if all went well, 1 if something failed, 2 if the command line is wrong.`

// commandLine is all that a person can ask of the program.
type commandLine struct {
	Version  kong.VersionFlag `env:"-" help:"Print of which commit this is, and end."`
	LogLevel string           `default:"info" enum:"debug,info,warn,error" placeholder:"LEVEL" help:"The least that is logged: ${enum} (default: ${default})."`

	Serve   serve          `cmd:"" help:"Serve GraphQL over HTTP, with an IDE to explore it."`
	Import  importCommand  `cmd:"" help:"Bring CSV files into a store that nobody else writes to meanwhile."`
	Export  exportCommand  `cmd:"" help:"Write a store as CSV files."`
	Admin   adminCommand   `cmd:"" help:"Make a user an administrator."`
	Token   tokenCommand   `cmd:"" help:"Print a token for tests and development, valid for an hour."`
	Schema  schemaCommand  `cmd:"" help:"Print the GraphQL schema."`
	Explain explainCommand `cmd:"" help:"Print what the server would read to answer a query, and how much at most."`
	Tables  tablesCommand  `cmd:"" help:"Make, list and drop the tables of a store."`
	Repair  repairCommand  `cmd:"" help:"Prove that all which follows from something does, and mend what does not. Nothing else may use the store meanwhile."`
}

// process is what the program was given to work with.
type process struct {
	stdout, stderr io.Writer
	log            zerolog.Logger
}

// The exit statuses but 0.
const (
	failed = 1
	misuse = 2
)

// run does what the arguments ask for and returns the exit status. It ends when ctx does.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var line commandLine
	helped := false
	parser, err := kong.New(&line, kong.Name("twibase"), kong.Description(description), kong.DefaultEnvars("TWIBASE"), kong.Vars{"regions": strconv.Itoa(defaultRegions), "version": version()},
		kong.Writers(stdout, stderr), kong.Exit(func(int) { helped = true }), kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.BindTo(ctx, (*context.Context)(nil)))
	if err != nil {
		panic(err) // the structs above are wrong
	}
	command, err := parser.Parse(args)
	if helped {
		return 0
	}
	if err != nil {
		fmt.Fprintf(stderr, "twibase: %s\n%s\n", err, hint(err))
		return misuse
	}
	if err := command.Run(process{stdout, stderr, newLogger(stderr, line.LogLevel)}); err != nil {
		told := make(chan struct{})
		go func() {
			defer close(told)
			fmt.Fprintln(stderr, "twibase:", err)
		}()
		select {
		case <-told:
		case <-time.After(flushTimeout): // nobody reads it
		}
		return failed
	}
	return 0
}

// hint says where the help is that fits what was typed.
func hint(err error) string {
	command := "twibase"
	if wrong := (*kong.ParseError)(nil); errors.As(err, &wrong) && wrong.Context.Selected() != nil {
		command = wrong.Context.Selected().FullPath()
	}
	return "See: " + command + " --help"
}
