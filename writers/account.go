package writers

import (
	"context"
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

type signUpArgs struct {
	NewUser
	// Key is derived from the idempotency key, empty without one. Origin begins with it, and is
	// unique.
	Key, Origin string
	// Hash is that of the password.
	Hash string
	// Taken is whether the user exists already, and an earlier call with the same key may have
	// signed them up.
	Taken bool
}

// signUp creates a user and the user's account.
var signUp = register(opType[signUpArgs]{
	name: "signUp",
	row:  func(a signUpArgs) hbase.Get { return a.row() },
	check: func(a *signUpArgs, r *reading) (decision, error) {
		d, err := a.NewUser.check(r, a.Origin, nil)
		if name := attribute(r.row, "name"); err != nil && a.Key != "" && name != "" && name != tables.Gone {
			a.Taken = true
			return unchanged, nil
		}
		return d, err
	},
	plan: func(a signUpArgs, o operation) plan {
		return plan{now: []stage{{put{tables.Accounts.Put(a.Username, a.Hash, o.at)}}}}
	},
})

// signUpKey is the beginning of the origin of users who signed up with an idempotency key. They
// have no caller.
func signUpKey(username, key string) string { return tables.KeyedName("", username+" "+key) + "." }

// SignUp creates a user who can log in with the password, and returns the username. With the same
// idempotency key and password, it does nothing the second time.
func (a *Accounts) SignUp(ctx context.Context, u NewUser, secret string, idempotencyKey *string) (string, error) {
	var in input
	in.checkNewUser(&u, false)
	secret = in.password("password", secret)
	idempotencyKey = in.idempotencyKey(idempotencyKey)
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
	if err = do(ctx, a.writers, signUp, args); err == nil && args.Taken {
		err = a.again(ctx, u.Username, args.Key, secret)
	}
	return u.Username, err
}

// again is a sign-up with an idempotency key and a username that is taken. It succeeded before if
// the user has the same key and password. All other cases take the same time and have the same
// error, so that nobody learns who used which key.
func (a *Accounts) again(ctx context.Context, username, key, secret string) error {
	right, origin, err := a.verify(ctx, "signUp", username, secret)
	if err == nil && !(right && strings.HasPrefix(origin, key)) {
		err = taken(username)
	}
	return err
}

// LogIn checks a username and a password, and returns the username. A wrong password and an unknown
// user have the same error after the same time: LogIn hashes exactly one password.
func (a *Accounts) LogIn(ctx context.Context, username, secret string) (string, error) {
	username, secret = norm.NFC.String(username), norm.NFC.String(secret)
	right, _, err := a.verify(ctx, "logIn", username, secret)
	if err == nil && !right {
		err = refuse(WrongCredentials, "", "the username and the password do not belong together")
	}
	return username, err
}

// verify reports whether the password is right, and returns the user's origin. It hashes exactly
// one password, also if there is no such user.
func (a *Accounts) verify(ctx context.Context, caller, username, secret string) (right bool, origin string, err error) {
	c := client{a.writers, caller}
	var hash string
	var timestamp int64
	if tables.CheckUsername(username) == nil {
		cells, err := c.get(ctx, "read account", []hbase.Get{
			tables.Accounts.Get(username), tables.Users.Get(username, originColumns),
		})
		if err != nil {
			return false, "", err
		}
		user, err := tables.Users.Decode(username, cells[1])
		if err != nil {
			return false, "", c.failed("read account", err)
		}
		if user != nil { // the account of a deleted user may still exist
			origin = attribute(cells[1], tables.Origin)
			if hash, timestamp, err = tables.Accounts.Decode(cells[0]); err != nil {
				return false, "", c.failed("read account", err)
			}
		}
	}
	right, stale, err := a.hasher.Verify(ctx, secret, hash)
	if stale {
		a.rehash(ctx, c, username, secret, hash, timestamp)
	}
	return right, origin, err
}

// rehash stores a hash with the present parameters. It has the timestamp of the old hash, so that a
// deletion of the account masks it. If rehash fails, the next log-in does it.
func (a *Accounts) rehash(ctx context.Context, c client, username, secret, old string, timestamp int64) {
	hash, err := a.hasher.Hash(ctx, secret)
	if err == nil {
		put := tables.Accounts.Put(username, hash, timestamp)
		check := hbase.Check{Family: put.Cells[0].Family, Qualifier: put.Cells[0].Qualifier, Value: []byte(old)}
		_, err = c.checkAndPut(ctx, "rehash", check, put)
	}
	if err != nil {
		a.writers.log.LogAttrs(ctx, slog.LevelWarn, "password could not be rehashed", slog.Any("error", err))
	}
}
