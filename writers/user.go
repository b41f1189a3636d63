package writers

import (
	"context"

	"twibase/hbase"
	"twibase/hbase/tables"
)

type createUserArgs struct {
	NewUser
	Origin         string
	IdempotencyKey *string
}

// createUser makes a user who has no account.
var createUser = register(kind[createUserArgs]{
	name: "createUser",
	row:  func(a createUserArgs) hbase.Get { return a.row() },
	decide: func(a *createUserArgs, r *reading) ([]hbase.Cell, error) {
		return a.made(r, a.Origin, a.IdempotencyKey)
	},
	plan: func(createUserArgs, op) plan { return plan{} },
})

// UserChange is what an update does to a user.
type UserChange struct {
	Username               string
	Name, Email, AvatarURL Change[string]
	Age                    Change[int]
	// ExpectedVersion is the one that the caller saw, nil for any.
	ExpectedVersion *string
}

// updateUser changes attributes in the user's row.
var updateUser = register(kind[UserChange]{
	name: "updateUser", added: true, // a second one could undo what came between
	row: func(a UserChange) hbase.Get {
		return tables.Users.Get(a.Username, tables.Users.Columns([]string{"name", "version", "email", "age", "avatarUrl"}))
	},
	decide: func(a *UserChange, r *reading) ([]hbase.Cell, error) {
		user, err := tables.Users.Decode(a.Username, r.row)
		if err == nil && user == nil {
			err = refuse(NotFound, "username", "there is no %q", a.Username)
		}
		if err != nil {
			return nil, err
		}
		if err := unchanged(a.ExpectedVersion, *user.Version); err != nil {
			return nil, err
		}
		var changes alter
		var new tables.User
		to(&changes, "name", user.Name, a.Name, &new.Name)
		to(&changes, "email", user.Email, a.Email, &new.Email)
		to(&changes, "age", user.Age, a.Age, &new.Age)
		to(&changes, "avatarUrl", user.AvatarURL, a.AvatarURL, &new.AvatarURL)
		return changes.cells(tables.Users.Put(a.Username, &new, r.at), r.op)
	},
	plan: func(UserChange, op) plan { return plan{} },
})

type deleteUserArgs struct{ Username string }

// deleteUser says that a user is gone, with all that was said of them, and then takes away what is theirs on the other sides. The row
// stays, so that the name is never given again.
var deleteUser = register(kind[deleteUserArgs]{
	name: "deleteUser",
	row:  func(a deleteUserArgs) hbase.Get { return tables.Users.Get(a.Username, tables.Existence) },
	decide: func(a *deleteUserArgs, r *reading) ([]hbase.Cell, error) {
		if err := ref(tables.Users, a.Username, "username").check(r.row); err != nil {
			return nil, err
		}
		cells := []hbase.Cell{goneCell(r.at)}
		for _, attribute := range []string{"email", "age", "avatarUrl", "createdAt"} {
			cells = append(cells, tables.Without(attribute, r.at))
		}
		return cells, nil
	},
	plan: func(a deleteUserArgs, o op) plan {
		return plan{
			now: []stage{{put{tables.Accounts.Gone(a.Username, o.at)}}},
			later: []stage{
				append(unrelateAll(&tables.Users.AnyObject, a.Username), deleteComments(a.Username), erasePlaysOf(a.Username)),
				{deleteTwits(a.Username)},
				{
					put{hbase.Delete{Table: tables.Timelines.Table, Row: tables.Timelines.Row(a.Username, 0), Timestamp: tables.Forever}},
					// Followers who were deleted leave no job, and no twit will ever tell that they are few.
					job{tables.Job{ID: o.id, Kind: tables.Returned, At: o.at, Author: a.Username}},
				},
			},
		}
	},
})

// CreateUser makes a user without an account, also one with a reserved name, and returns the username as it is stored. A second time under the
// same key, by the same caller, it does nothing. It may be refused with Problems.
func (w *Writers) CreateUser(ctx context.Context, caller string, u NewUser, idempotencyKey *string) (username string, err error) {
	var in input
	u = in.newUser(u, true)
	idempotencyKey = in.idempotencyKey("idempotencyKey", idempotencyKey)
	if err := in.err(); err != nil {
		return "", err
	}
	_, err = do(ctx, w, createUser, &createUserArgs{u, w.origin(caller, idempotencyKey), idempotencyKey})
	return u.Username, err
}

// UpdateUser changes what is said of a user, and returns the username as it is stored. It may be refused with Problems.
func (w *Writers) UpdateUser(ctx context.Context, c UserChange) (username string, err error) {
	var in input
	c.Username = in.username("username", c.Username)
	c.Name = in.changedName("name", c.Name)
	c.Email = change(in.email, "email", c.Email)
	c.Age = change(in.age, "age", c.Age)
	c.AvatarURL = change(in.url, "avatarUrl", c.AvatarURL)
	if err := in.err(); err != nil {
		return "", err
	}
	_, err = do(ctx, w, updateUser, &c)
	return c.Username, err
}

// DeleteUser deletes a user with all that is the user's. It may be refused with Problems.
func (w *Writers) DeleteUser(ctx context.Context, username string) error {
	var in input
	username = in.username("username", username)
	if err := in.err(); err != nil {
		return err
	}
	_, err := do(ctx, w, deleteUser, &deleteUserArgs{username})
	return err
}
