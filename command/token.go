package command

import (
	"context"
	"fmt"
	"time"

	"github.com/rs/zerolog"

	"twibase/graph/auth"
)

type claimFlags struct {
	JWTIssuer   string `name:"jwt-issuer" placeholder:"NAME" help:"Issuer of tokens: the required iss claim."`
	JWTAudience string `name:"jwt-audience" placeholder:"NAME" help:"Audience of tokens: a required aud claim."`
}

type tokenFlags struct {
	JWTSecretFile string `name:"jwt-secret-file" placeholder:"FILE" help:"File with the secret of tokens (HS256), at least 32 bytes. It may have several secrets, one per line: the first signs, all verify. The file is reloaded. Without a secret, users cannot log in."`
	claimFlags
	JWKS      string `name:"jwks" placeholder:"PLACE" help:"URL or file of a JSON Web Key Set: public keys of the issuer --jwt-issuer, for RS256, ES256 and EdDSA. Needs --jwt-issuer and --jwt-audience."`
	DevTokens bool   `help:"Honour the admin claim of tokens made by 'twibase token --admin', and let the IDE on this machine act as any user. For tests and development."`
}

func (f *tokenFlags) Validate() error {
	if err := auth.CheckKeySetLocation(f.JWKS); err != nil {
		return fmt.Errorf("--jwks: %w", err)
	}
	return nil
}

func (f *tokenFlags) tokens(ctx context.Context, log zerolog.Logger) (tokens *auth.Tokens, err error) {
	if f.JWTSecretFile == "" && f.JWKS == "" {
		return nil, nil
	}
	tokens = &auth.Tokens{Issuer: f.JWTIssuer, Audience: f.JWTAudience, Dev: f.DevTokens, Now: time.Now}
	if f.JWTSecretFile != "" {
		if tokens.Secrets, err = readSecrets(f.JWTSecretFile); err != nil {
			return nil, err
		}
	}
	if f.JWKS != "" {
		if tokens.Keys, err = auth.ReadKeySet(ctx, f.JWKS, log); err != nil {
			return nil, fmt.Errorf("--jwks %s: %w", f.JWKS, err)
		}
	}
	return tokens, nil
}

func readSecrets(file string) (*auth.Secrets, error) {
	secrets, err := auth.ReadSecrets(file)
	if err != nil {
		return nil, fmt.Errorf("--jwt-secret-file: %w", err)
	}
	return secrets, nil
}

type tokenCommand struct {
	Username      string `arg:"" help:"Viewer. It needs no account."`
	JWTSecretFile string `name:"jwt-secret-file" required:"" placeholder:"FILE" help:"Secret file of the server."`
	claimFlags
	Admin bool `help:"Add the admin claim, which --dev-tokens honours."`
}

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
