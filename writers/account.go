package writers

import (
	"context"
	"errors"
	"log/slog"
	"strings"

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

// made decides that there is the user, unless the name is a user's, or was one's. If this very creation was made before, the error is as that of
// [madeBefore].
func (u NewUser) made(r *reading, origin string, key *string) ([]hbase.Cell, error) {
	name := attribute(r.row, "name")
	switch {
	case attribute(r.row, tables.Origin) == origin:
		return nil, madeBefore(name, key)
	case name != "":
		return nil, taken(u.Username)
	}
	now := millis(r.at)
	put := tables.Users.Put(u.Username, &tables.User{Name: &u.Name, Version: &r.id, Email: u.Email, Age: u.Age, AvatarURL: u.AvatarURL, CreatedAt: &now}, r.at)
	return append(put.Cells, originCell(origin, r.at)), nil
}

func taken(username string) error { return refuse(AlreadyExists, "username", "%q is taken", username) }

type signUpArgs struct {
	NewUser
	// Key is what is kept of the idempotency key, empty without one; Origin tells also one call under it from another.
	Key, Origin string
	// Hash is that of the password.
	Hash string
	// Taken is whether there is such a user already, and whoever signs up has a key that could show that it was them.
	Taken bool
}

// signUp makes a user and the account of the user.
var signUp = register(kind[signUpArgs]{
	name: "signUp",
	row:  func(a signUpArgs) hbase.Get { return a.row() },
	decide: func(a *signUpArgs, r *reading) ([]hbase.Cell, error) {
		cells, err := a.made(r, a.Origin, nil)
		if name := attribute(r.row, "name"); a.Key != "" && name != "" && name != tables.Gone && !errors.Is(err, errNothing) {
			a.Taken = true
			return nil, errNothing
		}
		return cells, err
	},
	plan: func(a signUpArgs, o op) plan {
		return plan{now: []stage{{put{tables.Accounts.Put(a.Username, a.Hash, o.at)}}}}
	},
})

// signUpKey is what the origin begins with of whom an idempotency key signed up: nobody is the caller.
func signUpKey(username, key string) string { return tables.KeyedName("", username+" "+key) + "." }

// SignUp makes a user who can log in by the password, and returns the username as it is stored. A second time under the same key, and with the
// password of the first, it does nothing. It may be refused with Problems.
func (a *Accounts) SignUp(ctx context.Context, u NewUser, secret string, idempotencyKey *string) (username string, err error) {
	var in input
	u = in.newUser(u, false)
	secret = in.password("password", secret)
	idempotencyKey = in.idempotencyKey("idempotencyKey", idempotencyKey)
	if err := in.err(); err != nil {
		return "", err
	}
	hash, err := a.hasher.Hash(ctx, secret)
	if err != nil {
		return "", err
	}
	args := &signUpArgs{NewUser: u, Origin: a.writers.origin("", nil), Hash: hash}
	if idempotencyKey != nil {
		args.Key = signUpKey(u.Username, *idempotencyKey)
		args.Origin = args.Key + args.Origin
	}
	if _, err = do(ctx, a.writers, signUp, args); err == nil && args.Taken {
		err = a.again(ctx, u.Username, args.Key, secret)
	}
	return u.Username, err
}

// again is the end of a signing up under a key by a name that is taken: it was done before if it was under the same key, and the password is the
// account's. Everything else is told and takes the same, so that nobody learns who signed up under which key.
func (a *Accounts) again(ctx context.Context, username, key, secret string) error {
	right, origin, err := a.verify(ctx, "signUp", username, secret)
	if err == nil && !(right && strings.HasPrefix(origin, key)) {
		err = taken(username)
	}
	return err
}

// LogIn returns the username, as it is stored, of whom a username and a password belong to. If they do not belong together that is the
// Problem, and neither it nor the time it takes tells whether there is such a user: exactly one password is hashed in either case.
func (a *Accounts) LogIn(ctx context.Context, username, secret string) (string, error) {
	username, secret = norm.NFC.String(username), norm.NFC.String(secret)
	right, _, err := a.verify(ctx, "logIn", username, secret)
	if err == nil && !right {
		err = refuse(WrongCredentials, "", "the username and the password do not belong together")
	}
	return username, err
}

// verify reports whether a username and a password belong together, and the origin of that user. Exactly one password is hashed, also if there is
// no such user.
func (a *Accounts) verify(ctx context.Context, kind, username, secret string) (right bool, origin string, err error) {
	p := port{a.writers, kind}
	var hash string
	var timestamp int64
	if tables.CheckUsername(username) == nil {
		cells, err := p.get(ctx, "read account", []hbase.Get{tables.Accounts.Get(username), tables.Users.Get(username, originColumns)})
		if err != nil {
			return false, "", err
		}
		user, err := tables.Users.Decode(username, cells[1])
		if err != nil {
			return false, "", p.failed("read account", err)
		}
		if user != nil { // the account of one who is deleted may be there a little longer
			origin = attribute(cells[1], tables.Origin)
			if hash, timestamp, err = tables.Accounts.Decode(cells[0]); err != nil {
				return false, "", p.failed("read account", err)
			}
		}
	}
	right, stale, err := a.hasher.Verify(ctx, secret, hash)
	if stale {
		a.rehash(ctx, p, username, secret, hash, timestamp)
	}
	return right, origin, err
}

// rehash stores a hash of today's parameters. That it has the timestamp of the one before lets a deletion of the account win, whenever it was
// decided. If it fails the next log-in does it.
func (a *Accounts) rehash(ctx context.Context, p port, username, secret, old string, timestamp int64) {
	hash, err := a.hasher.Hash(ctx, secret)
	if err == nil {
		put := tables.Accounts.Put(username, hash, timestamp)
		check := hbase.Check{Family: put.Cells[0].Family, Qualifier: put.Cells[0].Qualifier, Value: []byte(old)}
		_, err = p.checkAndPut(ctx, "rehash", check, put)
	}
	if err != nil {
		a.writers.log.LogAttrs(ctx, slog.LevelWarn, "a password could not be hashed anew", slog.Any("error", err))
	}
}
