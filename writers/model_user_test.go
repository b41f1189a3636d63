package writers

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"twibase/hbase"
	"twibase/hbase/tables"
)

func init() {
	modelled = append(modelled, modelNoun{name: "user", begin: beginUsers, call: callUser, observe: observeUsers})
}

func userAttributes(name, email, age string) string { return name + "|" + email + "|" + age }

func beginUsers(_ hbase.Store, f facts) []hbase.Mutation {
	for _, name := range append(userNames, followerNames...) {
		f["attributes of "+name] = userAttributes(name, "", "")
	}
	return nil
}

func modelNewUser(f facts, username, name string) Code {
	if f["user "+username] != "" || f["gone "+username] != "" {
		return AlreadyExists
	}
	f["user "+username], f["attributes of "+username] = "1", userAttributes(name, "", "")
	return ""
}

func callUser(r *rand.Rand) call {
	username, key := newUserNames[r.IntN(len(newUserNames))], strconv.Itoa(r.IntN(2))
	if r.IntN(2) == 0 {
		username = userNames[r.IntN(len(userNames))]
	}
	switch r.IntN(8) {
	case 0:
		return callDeleteUser(username)
	case 1, 2:
		u := NewUser{Username: username, Name: key}
		return call{fmt.Sprintf("create user %s under %s", username, key), func(ctx context.Context, w *Writers) error {
			_, err := w.CreateUser(ctx, "a", u, &key)
			return err
		}, func(f facts) Code {
			origin := "origin user " + username
			if f[origin] == key && f["gone "+username] != "" {
				return NotFound
			}
			if f[origin] == key {
				return ""
			}
			code := modelNewUser(f, username, key)
			if code == "" {
				f[origin] = key
			}
			return code
		}}
	case 3, 4:
		c := UserChange{Username: username, Name: Change[string]{true, &key}}
		email := ""
		if r.IntN(2) == 0 {
			email = "x@example.org"
			c.Email.Value = &email
		}
		c.Email.Given = true
		text := fmt.Sprintf("rename %s to %s, email %q", username, key, email)
		return call{text, func(ctx context.Context, w *Writers) error {
			_, err := w.UpdateUser(ctx, c)
			return err
		}, func(f facts) Code {
			return modelUpdate(f, username, func(_, _, age string) string { return userAttributes(key, email, age) })
		}}
	case 5, 6:
		return callBirthday(username)
	}
	return callFollow(r)
}

func modelUpdate(f facts, username string, change func(name, email, age string) string) Code {
	if f["user "+username] == "" {
		return NotFound
	}
	fields := strings.Split(f["attributes of "+username], "|")
	f["attributes of "+username] = change(fields[0], fields[1], fields[2])
	return ""
}

func callBirthday(username string) call {
	return call{"birthday of " + username, func(ctx context.Context, w *Writers) error {
		for {
			cells, err := cellsOf(ctx, w.store, tables.Users.Get(username, "i:name i:version i:age"))
			if err != nil {
				return err
			}
			user, err := tables.Users.Decode(username, cells)
			if err != nil {
				return err
			}
			if user == nil {
				return reject(NotFound, "username", "there is no %q", username)
			}
			c := UserChange{Username: username, Age: Change[int]{true, new(1)}, ExpectedVersion: user.Version}
			if user.Age != nil {
				*c.Age.Value += *user.Age
			}
			_, err = w.UpdateUser(ctx, c)
			if code := outcome(err); code != Conflict {
				return err
			}
		}
	}, func(f facts) Code {
		return modelUpdate(f, username, func(name, email, age string) string {
			n, _ := strconv.Atoi(age)
			return userAttributes(name, email, strconv.Itoa(n+1))
		})
	}}
}

func callDeleteUser(username string) call {
	return call{"delete user " + username, func(ctx context.Context, w *Writers) error {
		return w.DeleteUser(ctx, username)
	}, func(f facts) Code {
		if f["user "+username] == "" {
			return NotFound
		}
		delete(f, "user "+username)
		delete(f, "attributes of "+username)
		delete(f, "account "+username)
		f["gone "+username] = "1"
		removePosts(f, username)
		removePlays(f, func(by, _ string) bool { return by == username })
		for fact := range f {
			switch fields := strings.Fields(fact); fields[0] {
			case "follow", "has":
				if fields[1] == username || fields[0] == "follow" && fields[2] == username {
					delete(f, fact)
				}
			}
		}
		return ""
	}}
}

func observeUsers(ctx context.Context, store hbase.Store, f facts) error {
	var wrong []error
	for row, err := range store.Scan(ctx, hbase.Scan{Table: tables.Users.Table, Columns: tables.Attributes}) {
		if err != nil {
			return err
		}
		username, err := tables.OwnerOf(row.Key)
		if err != nil {
			continue
		}
		for _, key := range []string{"0", "1"} {
			if attribute(row.Cells, tables.Origin) == tables.KeyedName("a", key) {
				f["origin user "+username] = key
			}
		}
		user, err := tables.Users.Decode(username, row.Cells)
		switch {
		case err != nil:
			return err
		case user != nil:
			age := ""
			if user.Age != nil {
				age = strconv.Itoa(*user.Age)
			}
			email := ""
			if user.Email != nil {
				email = *user.Email
			}
			f["attributes of "+username] = userAttributes(*user.Name, email, age)
		case attribute(row.Cells, "name") == tables.DeletedValue:
			f["gone "+username] = "1"
			for _, c := range row.Cells {
				value, isCount := string(c.Value), strings.HasSuffix(c.Qualifier, "Count")
				if isCount && value != "0" || c.Qualifier == "email" && value != tables.DeletedValue {
					wrong = append(wrong, fmt.Errorf("%s is deleted, but %s is %q", username, c.Qualifier, value))
				}
			}
		}
	}
	return errors.Join(wrong...)
}
