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
	claimFlags
	Admin bool `help:"Makes the viewer an administrator, where the server runs with --dev-tokens."`
}

// Run prints the token alone. It asks no store.
func (c *tokenCommand) Run(p process) error {
	secrets, err := readSecrets(c.JWTSecretFile)
	if err != nil {
		return err
	}
	tokens := auth.Tokens{Secrets: secrets, Issuer: c.JWTIssuer, Audience: c.JWTAudience, Now: time.Now}
	token, _, err := tokens.Sign(auth.Viewer{Username: c.Username, Admin: c.Admin})
	if err != nil {
		return fmt.Errorf("USERNAME: %w", err)
	}
	fmt.Fprintln(p.stdout, token)
	return nil
}

// claimFlags are the flags on which who makes tokens and who accepts them have to agree.
type claimFlags struct {
	JWTIssuer   string `name:"jwt-issuer" placeholder:"NAME" help:"Who makes tokens: the claim iss that each has to have."`
	JWTAudience string `name:"jwt-audience" placeholder:"NAME" help:"For whom tokens are made: a claim aud that each has to have."`
}

func readSecrets(file string) (*auth.Secrets, error) {
	secrets, err := auth.ReadSecrets(file)
	if err != nil {
		return nil, fmt.Errorf("--jwt-secret-file: %w", err)
	}
	return secrets, nil
}

type schemaCommand struct{}

// Run prints the schema as /schema.graphql has it.
func (schemaCommand) Run(p process) error {
	_, err := fmt.Fprint(p.stdout, sdl())
	return err
}

func sdl() string { return schema.SDL(exec.NewExecutableSchema(exec.Config{}).Schema()) }
