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
	mutationSignUp = mutationOf(permission.SignUp, userPayload)
	mutationLogIn  = mutationOf(permission.LogIn, userPayload)
)

// SignUp is the resolver for the signUp field.
func (r *mutationResolver) SignUp(ctx context.Context, input model.SignUpInput) (*model.SignUpPayload, error) {
	key := input.IdempotencyKey.Value()
	user := writers.NewUser{
		Username: input.Username, Name: input.Name, Email: input.Email.Value(), Age: input.Age.Value(),
		AvatarURL: input.AvatarURL.Value(),
	}
	s, err := r.beginSession(ctx, mutationSignUp, func() (string, error) {
		wait := r.Attempts.SignUp(ctx)
		if wait == 0 && key != nil { // a repeated sign-up checks the password, as logging in does
			wait = r.Attempts.LogIn(ctx, norm.NFC.String(input.Username))
		}
		if wait > 0 {
			return "", tooManyAttempts(wait)
		}
		return r.Accounts.SignUp(ctx, user, input.Password, key)
	})
	return &model.SignUpPayload{
		User: s.user, Token: s.token, ExpiresAt: s.expiresAt, UserErrors: s.userErrors,
		ClientMutationID: input.ClientMutationID.Value(),
	}, err
}

// LogIn is the resolver for the logIn field.
func (r *mutationResolver) LogIn(ctx context.Context, input model.LogInInput) (*model.LogInPayload, error) {
	s, err := r.beginSession(ctx, mutationLogIn, func() (string, error) {
		if wait := r.Attempts.LogIn(ctx, norm.NFC.String(input.Username)); wait > 0 {
			return "", tooManyAttempts(wait)
		}
		return r.Accounts.LogIn(ctx, input.Username, input.Password)
	})
	return &model.LogInPayload{
		User: s.user, Token: s.token, ExpiresAt: s.expiresAt, UserErrors: s.userErrors,
		ClientMutationID: input.ClientMutationID.Value(),
	}, err
}

// session is what a user gets who signs up or logs in, or the user errors that say why not.
type session struct {
	user       *tables.User
	token      *string
	expiresAt  *time.Time
	userErrors []*model.UserError
}

// beginSession begins a session of the user that authenticate returns.
func (r *mutationResolver) beginSession(
	ctx context.Context, m mutation, authenticate func() (username string, err error),
) (s session, err error) {
	if _, err := authorizeNow(ctx, m.action, permission.About{}); err != nil {
		return s, err
	}
	if !r.Tokens.Signs() {
		const message = "this server gives no tokens: it was started without --jwt-secret-file"
		return s, &apierr.Error{Code: apierr.CodeUnavailable, Message: message}
	}
	var username string
	s.userErrors, err = change(ctx, func(context.Context) (err error) {
		username, err = authenticate()
		if err == nil {
			r.Attempts.LoggedIn(username)
		}
		return err
	})
	if err != nil || len(s.userErrors) > 0 {
		return s, err
	}
	token, expiresAt, err := r.Tokens.Sign(auth.Viewer{Username: username})
	if err != nil {
		return s, err
	}
	s.token, s.expiresAt = &token, &expiresAt
	s.user, err = userPayload.read(ctx, username, nil, nil)
	return s, err
}

// tooManyAttempts is the user error for a client that has to wait.
func tooManyAttempts(wait time.Duration) error {
	seconds := (wait + time.Second - 1) / time.Second
	message := fmt.Sprintf("too many attempts; try again in %d s", seconds)
	return writers.UserErrors{{Code: writers.LimitExceeded, Message: message}}
}
