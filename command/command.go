// Package command is the command line of twibase.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strconv"

	"github.com/alecthomas/kong"
	"github.com/rs/zerolog"

	"twibase/gateway"
)

const description = `twibase is a GraphQL gateway over HBase.
It runs on one machine with an embedded store, or on an HBase cluster.

To try it, run twibase serve and open http://127.0.0.1:8080 in a browser.

Each flag can also be set by an environment variable, such as TWIBASE_JWT_SECRET_FILE for --jwt-secret-file, or in a
configuration file (--config).
The exit status is 0 on success, 1 on failure, and 2 if the command line is wrong.`

type commandLine struct {
	Version  kong.VersionFlag `env:"-" help:"Print the version and exit."`
	LogLevel string           `reload:"" default:"info" enum:"debug,info,warn,error" placeholder:"LEVEL" help:"Minimum level of log messages: ${enum} (default: ${default})."`
	configOption

	Serve     serveCommand     `cmd:"" help:"Serve GraphQL over HTTP, with an IDE."`
	Health    healthCommand    `cmd:"" help:"Check whether a gateway is ready. The exit status is 1 if it is not. For containers without curl."`
	Import    importCommand    `cmd:"" help:"Import CSV files, while no other process writes to the store."`
	Export    exportCommand    `cmd:"" help:"Export a store to CSV files."`
	Admin     adminCommand     `cmd:"" help:"Manage administrators."`
	Token     tokenCommand     `cmd:"" help:"Print a token for tests and development, valid for an hour."`
	Schema    schemaCommand    `cmd:"" help:"Print the GraphQL schema."`
	Explain   explainCommand   `cmd:"" help:"Print the reads of a query, and their upper bound."`
	Documents documentsCommand `cmd:"" help:"Check documents of clients before they are deployed."`
	Config    configCommand    `cmd:"" help:"Check a configuration file."`
	Tables    tablesCommand    `cmd:"" help:"Create, list and drop the tables of a store."`
	Repair    repairCommand    `cmd:"" help:"Check derived data (lists, counts, timelines) against its source, and repair differences, while no other process uses the store."`
}

type process struct {
	stdout, stderr io.Writer
	log            zerolog.Logger
	settings       settings
	// reload parses the command line and the --config file again.
	reload func() (*commandLine, settings, error)
}

const (
	statusOK     = 0
	statusFailed = 1
	statusUsage  = 2
)

// ErrTerminated is the cause of a context that SIGTERM ended.
var ErrTerminated = gateway.ErrTerminated

// Run runs a command until ctx is done, and returns the exit status.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	helped := false
	parse := func() (*commandLine, *kong.Context, error) {
		line := new(commandLine)
		command, err := newParser(ctx, line, stdout, stderr, kong.Exit(func(int) { helped = true })).Parse(args)
		if err != nil {
			return nil, nil, line.located(err)
		}
		return line, command, nil
	}
	line, command, err := parse()
	if helped {
		return statusOK
	}
	if err != nil {
		fmt.Fprintf(stderr, "twibase: %s\n%s\n", err, hint(err))
		return statusUsage
	}
	level, err := zerolog.ParseLevel(line.LogLevel)
	if err != nil {
		panic(err)
	}
	out := &output{Writer: stdout}
	p := process{out, stderr, newLogger(stderr, level), settingsOf(command), func() (*commandLine, settings, error) {
		line, command, err := parse()
		if err != nil {
			return nil, nil, err
		}
		return line, settingsOf(command), nil
	}}
	err = command.Run(p)
	if out.err != nil && !errors.Is(err, out.err) { // some commands return it
		err = errors.Join(err, out.err)
	}
	if err != nil {
		fmt.Fprintln(stderr, "twibase:", err)
		return statusFailed
	}
	return statusOK
}

func newParser(ctx context.Context, line *commandLine, stdout, stderr io.Writer, options ...kong.Option) *kong.Kong {
	parser, err := kong.New(line, append(options,
		kong.Name("twibase"), kong.Description(description), kong.DefaultEnvars("TWIBASE"),
		kong.Vars{"regions": strconv.Itoa(defaultRegions), "version": version()},
		kong.Writers(stdout, stderr),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.BindTo(ctx, (*context.Context)(nil)),
	)...)
	if err != nil {
		panic(err)
	}
	return parser
}

func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "twibase, unknown version"
	}
	return fmt.Sprintf("twibase %s, %s", info.Main.Version, info.GoVersion)
}

func hint(err error) string {
	command := "twibase"
	if wrong := (*kong.ParseError)(nil); errors.As(err, &wrong) && wrong.Context.Selected() != nil {
		command = wrong.Context.Selected().FullPath()
	}
	return "See: " + command + " --help"
}
