package resolvers

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/text/unicode/norm"

	"twibase/graph/apierr"
	"twibase/graph/auth"
	"twibase/graph/exec"
	"twibase/graph/model"
	"twibase/hbase/tables"
	"twibase/loaders"
	"twibase/resolvers/permission"
	"twibase/writers"
)

var accountCosts = costs{
	"Mutation.signUp": changeCost(show(loaders.Users, "SignUpPayload", "user", "User")),
	"Mutation.logIn":  changeCost(show(loaders.Users, "LogInPayload", "user", "User")),
}

// SignUp is the resolver for the signUp field.
func (r *mutationResolver) SignUp(ctx context.Context, input model.SignUpInput) (*model.SignUpPayload, error) {
	key := input.IdempotencyKey.Value()
	s, err := r.enter(ctx, permission.SignUp, "SignUpPayload", func() (string, error) {
		wait := r.Attempts.SignUp(ctx)
		if wait == 0 && key != nil { // it may be one to log in
			wait = r.Attempts.LogIn(ctx, norm.NFC.String(input.Username))
		}
		if wait > 0 {
			return "", tooOften(wait)
		}
		username, err := r.Accounts.SignUp(ctx, writers.NewUser{Username: input.Username, Name: input.Name, Email: input.Email.Value(), Age: input.Age.Value(),
			AvatarURL: input.AvatarURL.Value()}, input.Password, key)
		if err == nil {
			r.Attempts.LoggedIn(username)
		}
		return username, err
	})
	if err != nil {
		return nil, err
	}
	return &model.SignUpPayload{User: s.user, Token: s.token, ExpiresAt: s.expires, UserErrors: s.errs, ClientMutationID: input.ClientMutationID.Value()}, nil
}

// LogIn is the resolver for the logIn field.
func (r *mutationResolver) LogIn(ctx context.Context, input model.LogInInput) (*model.LogInPayload, error) {
	s, err := r.enter(ctx, permission.LogIn, "LogInPayload", func() (string, error) {
		if wait := r.Attempts.LogIn(ctx, norm.NFC.String(input.Username)); wait > 0 {
			return "", tooOften(wait)
		}
		username, err := r.Accounts.LogIn(ctx, input.Username, input.Password)
		if err == nil {
			r.Attempts.LoggedIn(username)
		}
		return username, err
	})
	if err != nil {
		return nil, err
	}
	return &model.LogInPayload{User: s.user, Token: s.token, ExpiresAt: s.expires, UserErrors: s.errs, ClientMutationID: input.ClientMutationID.Value()}, nil
}

// session is what those get who have shown who they are.
type session struct {
	user    *tables.User
	token   *string
	expires *time.Time
	errs    []*model.UserError
}

// enter begins a session of the user whom who returns, if there can be one.
func (r *mutationResolver) enter(ctx context.Context, action permission.Action, payload string, who func() (username string, err error)) (s session, err error) {
	if _, err := permitted(ctx, action, permission.About{}); err != nil {
		return s, err
	}
	if !r.Tokens.Signs() {
		return s, &apierr.Error{Code: apierr.CodeUnavailable, Message: "this server gives no tokens: it was started without --jwt-secret-file"}
	}
	var username string
	s.errs, err = change(ctx, nil, func(context.Context) (err error) {
		username, err = who()
		return err
	})
	if err != nil || len(s.errs) > 0 {
		return s, err
	}
	token, expires, err := r.Tokens.Sign(auth.Viewer{Username: username})
	if err != nil {
		return s, err
	}
	s.token, s.expires = &token, &expires
	s.user, err = changed(ctx, loaders.Users, payload, "user", "User", username)
	return s, err
}

// tooOften is the problem of who has to wait.
func tooOften(wait time.Duration) error {
	seconds := (wait + time.Second - 1) / time.Second
	return writers.Problems{{Code: writers.LimitExceeded, Message: fmt.Sprintf("too many attempts; try again in %d s", seconds)}}
}

// Mutation returns exec.MutationResolver implementation.
func (r *Resolver) Mutation() exec.MutationResolver { return &mutationResolver{r} }

type mutationResolver struct{ *Resolver }
