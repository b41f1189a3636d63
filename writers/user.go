package writers

import (
	"context"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// NewUser is the input of createUser and signUp.
type NewUser struct {
	Username, Name string
	Email          *string
	Age            *int
	AvatarURL      *string
	Bio            *string `json:",omitempty"`
}

func (in *input) checkNewUser(u *NewUser, byAdministrator bool) {
	u.Username = in.newUsername("username", u.Username, byAdministrator)
	checkAttributes(in, tables.Users, u)
}

func (u NewUser) row() hbase.Get { return tables.Users.Get(u.Username, originColumns) }

func (u *NewUser) check(r *reading, origin string, key *string) (decision, error) {
	now := millis(r.at)
	createdAt := tables.Users.Put(u.Username, &tables.User{CreatedAt: &now}, r.at)
	return commitNew(tables.Users, u.Username, u, origin, key, r, createdAt.Cells...)
}

type createUserArgs struct {
	NewUser
	Origin         string
	IdempotencyKey *string
}

var createUser = register(opType[createUserArgs]{
	name: "createUser",
	row:  func(a createUserArgs) hbase.Get { return a.row() },
	check: func(a *createUserArgs, r *reading) (decision, error) {
		return a.NewUser.check(r, a.Origin, a.IdempotencyKey)
	},
	effects: func(a createUserArgs, o operation) effects {
		return effects{now: []stage{{put{tables.Users.Search.Put(a.Username, o.at)}}}}
	},
})

// UserChange is the input of updateUser.
type UserChange struct {
	Username               string
	Name, Email, AvatarURL Change[string]
	Age                    Change[int]
	Bio                    Change[string] `json:",omitzero"`
	// ExpectedVersion is nil to accept any version.
	ExpectedVersion *string
}

var updateUser = register(updateType("updateUser", "username", tables.Users,
	func(a UserChange) (string, *string) { return a.Username, a.ExpectedVersion }))

type deleteUserArgs struct{ Username string }

// deleteUser keeps the row, so that the username is not reused.
var deleteUser = register(opType[deleteUserArgs]{
	name: "deleteUser",
	row:  func(a deleteUserArgs) hbase.Get { return tables.Users.Get(a.Username, tables.Existence) },
	check: func(a *deleteUserArgs, r *reading) (decision, error) {
		if _, err := existing(tables.Users, a.Username, r.row, "username"); err != nil {
			return unchanged, err
		}
		return commit(tables.Users.Removal(r.at)...), nil
	},
	effects: func(a deleteUserArgs, o operation) effects {
		// This job ends the user's state as a broadcaster. If all followers were deleted, no
		// unfollowed job has ended it.
		returned := job{tables.Job{ID: o.id, Kind: tables.Returned, At: o.at, Author: a.Username}}
		return effects{
			now: []stage{{
				put{tables.Users.Search.Delete(a.Username, o.at)},
				put{tables.Accounts.Delete(a.Username, o.at)},
			}},
			later: append(clearAll(&tables.Users.AnyObject, a.Username), stage{returned}),
		}
	},
})

// CreateUser creates a user without an account. It also accepts the reserved usernames.
func (w *Writers) CreateUser(ctx context.Context, caller string, u NewUser, idempotencyKey *string) (string, error) {
	var in input
	in.checkNewUser(&u, true)
	key := in.idempotencyKey(idempotencyKey)
	return u.Username, execute(ctx, w, &in, createUser, &createUserArgs{u, w.origin(caller, key), key})
}

// UpdateUser returns the username.
func (w *Writers) UpdateUser(ctx context.Context, c UserChange) (string, error) {
	var in input
	c.Username = in.username("username", c.Username)
	checkAttributes(&in, tables.Users, &c)
	return c.Username, execute(ctx, w, &in, updateUser, &c)
}

// DeleteUser also deletes twits, comments, plays and relations.
func (w *Writers) DeleteUser(ctx context.Context, username string) error {
	var in input
	return execute(ctx, w, &in, deleteUser, &deleteUserArgs{in.username("username", username)})
}
