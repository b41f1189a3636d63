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

// Accounts signs users up and logs them in. It is safe for concurrent use.
type Accounts struct {
	writers *Writers
	hasher  *password.Hasher
}

// NewAccounts returns Accounts over the store of w.
func NewAccounts(w *Writers, hasher *password.Hasher) *Accounts { return &Accounts{w, hasher} }

type signUpArgs struct {
	NewUser
	// Key is the signUpKey, if any. Origin starts with Key, and is unique.
	Key, Origin string
	Hash        string
	// check sets Taken if Key is set and the user exists. confirm then checks key and password.
	Taken bool
}

var signUp = register(opType[signUpArgs]{
	name: "signUp",
	row:  func(a signUpArgs) hbase.Get { return a.row() },
	check: func(a *signUpArgs, r *reading) (decision, error) {
		d, err := a.NewUser.check(r, a.Origin, nil)
		if name := attribute(r.row, "name"); err != nil && a.Key != "" && name != "" && name != tables.DeletedValue {
			a.Taken = true
			return unchanged, nil
		}
		return d, err
	},
	effects: func(a signUpArgs, o operation) effects {
		return effects{now: []stage{{
			put{tables.Users.Search.Put(a.Username, o.at)},
			put{tables.Accounts.Put(a.Username, a.Hash, o.at)},
		}}}
	},
})

func signUpKey(username, key string) string { return tables.KeyedName("", username+" "+key) + "." }

// SignUp creates a user with an account. It is idempotent under the same idempotency key and
// password.
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
	if err = execute(ctx, a.writers, nil, signUp, args); err == nil && args.Taken {
		err = a.confirm(ctx, u.Username, args.Key, secret)
	}
	return u.Username, err
}

// confirm succeeds if the user signed up with this key and password. All other cases return the
// same error after the same time (see LogIn), so that callers cannot probe keys.
func (a *Accounts) confirm(ctx context.Context, username, key, secret string) error {
	right, origin, err := a.verify(ctx, "signUp", username, secret)
	if err == nil && !(right && strings.HasPrefix(origin, key)) {
		err = taken(username)
	}
	return err
}

// LogIn checks a password, and returns the username. A wrong password and an unknown user return
// the same error, after the same time if the stored hash has the current parameters.
func (a *Accounts) LogIn(ctx context.Context, username, secret string) (string, error) {
	username, secret = norm.NFC.String(username), norm.NFC.String(secret)
	right, _, err := a.verify(ctx, "logIn", username, secret)
	if err == nil && !right {
		err = reject(WrongCredentials, "", "the username or the password is wrong")
	}
	return username, err
}

func (a *Accounts) verify(ctx context.Context, caller, username, secret string) (right bool, origin string, err error) {
	c := a.writers.client(caller)
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
		if user != nil { // an account without a user belongs to a deletion in progress
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

// rehash keeps the timestamp, so that a deletion of the account masks both hashes. After a failure,
// the next log-in tries again.
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
