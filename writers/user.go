package writers

import (
	"context"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// NewUser is the input of a creation.
type NewUser struct {
	Username, Name string
	Email          *string
	Age            *int
	AvatarURL      *string
}

// newUser checks a new user. Administrators may give reserved names.
func (in *input) newUser(u NewUser, byAdministrator bool) NewUser {
	return NewUser{
		Username: in.newUsername("username", u.Username, byAdministrator), Name: in.name("name", u.Name),
		Email: in.email("email", u.Email), Age: in.age("age", u.Age), AvatarURL: in.url("avatarUrl", u.AvatarURL),
	}
}

// row reads whether there is such a user, or ever was.
func (u NewUser) row() hbase.Get { return tables.Users.Get(u.Username, originColumns) }

// check commits the user, unless the name is one's, or was.
func (u NewUser) check(r *reading, origin string, key *string) (decision, error) {
	if before, err := createdBefore(r.row, origin, key); err != nil || before {
		return unchanged, err
	}
	if attribute(r.row, "name") != "" {
		return unchanged, taken(u.Username)
	}
	now := millis(r.at)
	put := tables.Users.Put(u.Username, &tables.User{Name: &u.Name, Version: &r.id, Email: u.Email, Age: u.Age,
		AvatarURL: u.AvatarURL, CreatedAt: &now}, r.at)
	return commit(append(put.Cells, originCell(origin, r.at))...), nil
}

func taken(username string) error { return refuse(AlreadyExists, "username", "%q is taken", username) }

type createUserArgs struct {
	NewUser
	Origin         string
	IdempotencyKey *string
}

// createUser creates a user without an account.
var createUser = register(opType[createUserArgs]{
	name: "createUser",
	row:  func(a createUserArgs) hbase.Get { return a.row() },
	check: func(a *createUserArgs, r *reading) (decision, error) {
		return a.NewUser.check(r, a.Origin, a.IdempotencyKey)
	},
})

// UserChange is an update of a user.
type UserChange struct {
	Username               string
	Name, Email, AvatarURL Change[string]
	Age                    Change[int]
	// ExpectedVersion is the version that the caller read, nil for any.
	ExpectedVersion *string
}

var updateUser = register(opType[UserChange]{
	name: "updateUser", properties: properties{nonIdempotent: true}, // a second one could revert a later update
	row: func(a UserChange) hbase.Get {
		return tables.Users.Get(a.Username, tables.Users.Columns([]string{"name", "version", "email", "age", "avatarUrl"}))
	},
	check: func(a *UserChange, r *reading) (decision, error) {
		user, err := existing(tables.Users, a.Username, r.row, "username")
		if err != nil {
			return unchanged, err
		}
		if err := checkVersion(a.ExpectedVersion, *user.Version); err != nil {
			return unchanged, err
		}
		var u update
		var new tables.User
		set(&u, "name", user.Name, a.Name, &new.Name)
		set(&u, "email", user.Email, a.Email, &new.Email)
		set(&u, "age", user.Age, a.Age, &new.Age)
		set(&u, "avatarUrl", user.AvatarURL, a.AvatarURL, &new.AvatarURL)
		return u.decision(tables.Users.Put(a.Username, &new, r.at), r.operation)
	},
})

type deleteUserArgs struct{ Username string }

// deleteUser marks a user as deleted and removes the attributes, and then clears the user's lists.
// The row stays, so that the name is never given again.
var deleteUser = register(opType[deleteUserArgs]{
	name: "deleteUser",
	row:  func(a deleteUserArgs) hbase.Get { return tables.Users.Get(a.Username, tables.Existence) },
	check: func(a *deleteUserArgs, r *reading) (decision, error) {
		if err := ref(tables.Users, a.Username, "username").check(r.row); err != nil {
			return unchanged, err
		}
		return commit(tables.Users.Removal(r.at)...), nil
	},
	plan: func(a deleteUserArgs, o operation) plan {
		// Deleted followers start no job, and the author will post no twit: this job finds that the
		// followers are few.
		returned := job{tables.Job{ID: o.id, Kind: tables.Returned, At: o.at, Author: a.Username}}
		return plan{
			now:   []stage{{put{tables.Accounts.Gone(a.Username, o.at)}}},
			later: append(clearAll(&tables.Users.AnyObject, a.Username), stage{returned}),
		}
	},
})

// CreateUser creates a user without an account, also with a reserved name, and returns the username
// as it is stored. With the same caller and idempotency key, it does nothing the second time. The
// error may be UserErrors.
func (w *Writers) CreateUser(ctx context.Context, caller string, u NewUser, idempotencyKey *string) (string, error) {
	var in input
	u = in.newUser(u, true)
	key := in.idempotencyKey("idempotencyKey", idempotencyKey)
	return u.Username, run(ctx, w, &in, createUser, &createUserArgs{u, w.origin(caller, key), key})
}

// UpdateUser changes a user, and returns the normalised username. The error may be UserErrors.
func (w *Writers) UpdateUser(ctx context.Context, c UserChange) (string, error) {
	var in input
	c.Username = in.username("username", c.Username)
	c.Name = in.changedName(in.name, c.Name)
	c.Email = change(in.email, "email", c.Email)
	c.Age = change(in.age, "age", c.Age)
	c.AvatarURL = change(in.url, "avatarUrl", c.AvatarURL)
	return c.Username, run(ctx, w, &in, updateUser, &c)
}

// DeleteUser deletes a user and all that belongs to the user. The error may be UserErrors.
func (w *Writers) DeleteUser(ctx context.Context, username string) error {
	var in input
	return run(ctx, w, &in, deleteUser, &deleteUserArgs{in.username("username", username)})
}
