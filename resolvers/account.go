package resolvers

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/text/unicode/norm"

	"twibase/graph/apierr"
	"twibase/graph/auth"
	"twibase/graph/model"
	"twibase/hbase/tables"
	"twibase/resolvers/permission"
	"twibase/writers"
)

var (
	mutationSignUp = sessionMutation[model.SignUpInput]{mutationOf(permission.SignUp, userPayload), signUp}
	mutationLogIn  = sessionMutation[model.LogInInput]{mutationOf(permission.LogIn, userPayload), logIn}
)

func signUp(ctx context.Context, r *Resolver, in *model.SignUpInput) (username string, err error) {
	key := in.IdempotencyKey.Value()
	wait := r.Attempts.SignUp(ctx)
	if wait == 0 && key != nil { // a retry of a sign-up checks the password, like a log-in
		wait = r.Attempts.LogIn(ctx, norm.NFC.String(in.Username))
	}
	if wait > 0 {
		return "", tooMany("attempts", wait)
	}
	return r.Accounts.SignUp(ctx, writers.NewUser{
		Username: in.Username, Name: in.Name, Email: in.Email.Value(), Age: in.Age.Value(), AvatarURL: in.AvatarURL.Value(),
	}, in.Password, key)
}

func logIn(ctx context.Context, r *Resolver, in *model.LogInInput) (username string, err error) {
	if wait := r.Attempts.LogIn(ctx, norm.NFC.String(in.Username)); wait > 0 {
		return "", tooMany("attempts", wait)
	}
	return r.Accounts.LogIn(ctx, in.Username, in.Password)
}

type sessionMutation[I any] struct {
	mutation
	authenticate func(ctx context.Context, r *Resolver, in *I) (username string, err error)
}

func (m sessionMutation[I]) resolve(
	ctx context.Context, r *Resolver, in *I, user **tables.User, token **string, expiresAt **time.Time,
) ([]*model.UserError, error) {
	if _, err := authorizeNow(ctx, m.action, permission.Target{}); err != nil {
		return nil, err
	}
	if !r.Tokens.Signs() {
		const message = "this server gives no tokens: it was started without --jwt-secret-file"
		return nil, &apierr.Error{Code: apierr.CodeUnavailable, Message: message}
	}
	var username string
	userErrors, err := change(ctx, func(ctx context.Context) (err error) {
		username, err = m.authenticate(ctx, r, in)
		if err == nil {
			r.Attempts.LoggedIn(username)
		}
		return err
	})
	if err != nil || len(userErrors) > 0 {
		return userErrors, err
	}
	signed, expiry, err := r.Tokens.Sign(auth.Viewer{Username: username})
	if err != nil {
		return nil, err
	}
	*token, *expiresAt = &signed, &expiry
	*user, err = userPayload.read(ctx, username, nil, nil)
	return userErrors, err
}

func (r *Resolver) mayPost(username string, texts ...string) error {
	bytes := 0
	for _, text := range texts {
		bytes += len(text)
	}
	if wait := r.Attempts.Post(username, bytes); wait > 0 {
		return tooMany("long texts", wait)
	}
	return nil
}

func tooMany(what string, wait time.Duration) error {
	seconds := (wait + time.Second - 1) / time.Second
	message := fmt.Sprintf("too many %s; try again in %d s", what, seconds)
	return writers.UserErrors{{Code: writers.LimitExceeded, Message: message}}
}
