package writers

import (
	"context"
	"log/slog"

	"golang.org/x/text/unicode/norm"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/writers/password"
)

// Accounts are the people who can log in. They may be used concurrently.
type Accounts struct {
	writers *Writers
	hasher  *password.Hasher
}

// NewAccounts returns the accounts of the users that the writers make.
func NewAccounts(w *Writers, hasher *password.Hasher) *Accounts { return &Accounts{w, hasher} }

// NewUser is what is said of a user who is to be made.
type NewUser struct {
	Username, Name string
	Email          *string
	Age            *int
	AvatarURL      *string
}

// newUser checks what is said of a new user. Administrators may give reserved names.
func (in *input) newUser(u NewUser, byAdministrator bool) NewUser {
	return NewUser{
		Username: in.newUsername("username", u.Username, byAdministrator), Name: in.name("name", u.Name),
		Email: in.email("email", u.Email), Age: in.age("age", u.Age), AvatarURL: in.url("avatarUrl", u.AvatarURL),
	}
}

// row reads whether there is such a user, or ever was.
func (u NewUser) row() hbase.Get { return tables.Users.Get(u.Username, originColumns) }

// made decides that there is the user, unless the name is a user's, or was one's; errNothing if this very creation was made before.
func (u NewUser) made(r *reading, origin string) ([]hbase.Cell, error) {
	switch {
	case attribute(r.row, tables.Origin) == origin:
		return nil, errNothing
	case attribute(r.row, "name") != "":
		return nil, refuse(AlreadyExists, "username", "%q is taken", u.Username)
	}
	now := millis(r.at)
	put := tables.Users.Put(u.Username, &tables.User{Name: &u.Name, Version: &r.id, Email: u.Email, Age: u.Age, AvatarURL: u.AvatarURL, CreatedAt: &now}, r.at)
	return append(put.Cells, originCell(origin, r.at)), nil
}

type signUpArgs struct {
	NewUser
	// Origin tells one signing up from another.
	Origin string
	// Hash is that of the password.
	Hash string
}

// signUp makes a user and the account of the user.
var signUp = register(kind[signUpArgs]{
	name: "signUp",
	row:  func(a signUpArgs) hbase.Get { return a.row() },
	decide: func(a *signUpArgs, r *reading) ([]hbase.Cell, error) {
		return a.made(r, a.Origin)
	},
	plan: func(a signUpArgs, o op) plan {
		return plan{now: []stage{{put{tables.Accounts.Put(a.Username, a.Hash, o.at)}}}}
	},
})

// SignUp makes a user who can log in by the password, and returns the username as it is stored. It may be refused with Problems.
func (a *Accounts) SignUp(ctx context.Context, u NewUser, secret string) (username string, err error) {
	var in input
	u = in.newUser(u, false)
	secret = in.password("password", secret)
	if err := in.err(); err != nil {
		return "", err
	}
	hash, err := a.hasher.Hash(ctx, secret)
	if err != nil {
		return "", err
	}
	_, err = do(ctx, a.writers, signUp, &signUpArgs{u, a.writers.origin("", nil), hash})
	return u.Username, err
}

// LogIn returns the username, as it is stored, of whom a username and a password belong to. If they do not belong together that is the
// Problem, and neither it nor the time it takes tells whether there is such a user: exactly one password is hashed in either case.
func (a *Accounts) LogIn(ctx context.Context, username, secret string) (string, error) {
	username, secret = norm.NFC.String(username), norm.NFC.String(secret)
	var hash string
	var timestamp int64
	if tables.CheckUsername(username) == nil {
		p := port{a.writers, "logIn"}
		cells, err := p.get(ctx, "read", []hbase.Get{tables.Accounts.Get(username), tables.Users.Get(username, tables.Existence)})
		if err != nil {
			return "", err
		}
		user, err := tables.Users.Decode(username, cells[1])
		if err != nil {
			return "", p.failed("read", err)
		}
		if user != nil { // the account of one who is deleted may be there a little longer
			if hash, timestamp, err = tables.Accounts.Decode(cells[0]); err != nil {
				return "", p.failed("read", err)
			}
		}
	}
	right, stale, err := a.hasher.Verify(ctx, secret, hash)
	switch {
	case err != nil:
		return "", err
	case !right:
		return "", refuse(WrongCredentials, "", "the username and the password do not belong together")
	case stale:
		a.rehash(ctx, username, secret, hash, timestamp)
	}
	return username, nil
}

// rehash stores a hash of today's parameters. That it has the timestamp of the one before lets a deletion of the account win, whenever it was
// decided. If it fails the next log-in does it.
func (a *Accounts) rehash(ctx context.Context, username, secret, old string, timestamp int64) {
	hash, err := a.hasher.Hash(ctx, secret)
	if err == nil {
		put := tables.Accounts.Put(username, hash, timestamp)
		check := hbase.Check{Family: put.Cells[0].Family, Qualifier: put.Cells[0].Qualifier, Value: []byte(old)}
		_, err = port{a.writers, "logIn"}.checkAndPut(ctx, "rehash", check, put)
	}
	if err != nil {
		a.writers.log.LogAttrs(ctx, slog.LevelWarn, "a password could not be hashed anew", slog.Any("error", err))
	}
}
