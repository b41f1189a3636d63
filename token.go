package main

import (
	"fmt"
	"time"

	"twibase/graph/auth"
	"twibase/graph/exec"
	"twibase/graph/schema"
)

type tokenCommand struct {
	Username      string `arg:"" help:"Whom the token makes the viewer. No account is needed."`
	JWTSecretFile string `name:"jwt-secret-file" required:"" placeholder:"FILE" help:"The secret file of the server that is to accept the token."`
	Admin         bool   `help:"Makes the viewer an administrator, where the server runs with --dev-tokens."`
}

// Run prints the token alone. It asks no store.
func (c *tokenCommand) Run(p process) error {
	secret, err := auth.ReadSecret(c.JWTSecretFile)
	if err != nil {
		return fmt.Errorf("--jwt-secret-file: %w", err)
	}
	tokens := auth.Tokens{Secret: secret, Now: time.Now}
	token, err := tokens.Sign(auth.Viewer{Username: c.Username, Admin: c.Admin})
	if err != nil {
		return fmt.Errorf("USERNAME: %w", err)
	}
	fmt.Fprintln(p.stdout, token)
	return nil
}

type schemaCommand struct{}

// Run prints the schema as /schema.graphql has it.
func (schemaCommand) Run(p process) error {
	_, err := fmt.Fprint(p.stdout, sdl())
	return err
}

func sdl() string { return schema.SDL(exec.NewExecutableSchema(exec.Config{}).Schema()) }
