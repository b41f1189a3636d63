package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"
)

const configFlag = "config"

type configOption struct {
	file   *configFile
	Config string `placeholder:"FILE" help:"Configuration file in YAML. Its keys are names of flags. Flags and variables override it. 'twibase config check' checks it."`
}

// BeforeResolve reads the file that the command line or the environment names.
func (o *configOption) BeforeResolve(ctx *kong.Context) (err error) {
	path := ""
	for _, flag := range ctx.Model.Flags {
		if flag.Name == configFlag {
			path = ctx.FlagValue(flag).(string)
		}
	}
	if path == "" {
		return nil
	}
	if o.file, err = readConfigFile(path, ctx.Model); err != nil {
		return err
	}
	ctx.AddResolver(o.file)
	return nil
}

// located adds the line of the file to an error that names one of its flags.
func (o *configOption) located(err error) error {
	if o.file == nil {
		return err
	}
	for word := range strings.FieldsSeq(err.Error()) {
		name := strings.Trim(strings.TrimPrefix(word, "--"), ":,;")
		if value, set := o.file.values[name]; set && strings.HasPrefix(word, "--") {
			return fmt.Errorf("%s:%d: %w", o.file.path, value.line, err)
		}
	}
	return err
}

type configCommand struct {
	Check checkConfigCommand `cmd:"" help:"Check a configuration file for 'twibase serve'. The exit status is 1 if it is wrong."`
}

type checkConfigCommand struct {
	File string `arg:"" help:"Configuration file."`
}

func (c *checkConfigCommand) Run(ctx context.Context, p process) error {
	var line commandLine
	parser := newParser(ctx, &line, io.Discard, io.Discard)
	if _, err := parser.Parse([]string{"serve", "--" + configFlag, c.File}); err != nil {
		fmt.Fprintln(p.stderr, line.located(err))
		return errors.New("the configuration is wrong")
	}
	fmt.Fprintln(p.stdout, "OK")
	return nil
}
