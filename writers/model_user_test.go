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

// said is what is said of a user, as a fact.
func said(name, email, age string) string { return name + "|" + email + "|" + age }

// beginUsers says of all users what is said of them.
func beginUsers(_ hbase.Store, w world) []hbase.Mutation {
	for _, name := range append(people, fans...) {
		w["said of "+name] = said(name, "", "")
	}
	return nil
}

// modelNewUser is what becomes of a world in which a user is made.
func modelNewUser(w world, username, name string) Code {
	if w["user "+username] != "" || w["gone "+username] != "" {
		return AlreadyExists
	}
	w["user "+username], w["said of "+username] = "1", said(name, "", "")
	return ""
}

func callUser(r *rand.Rand) call {
	username, key := newcomers[r.IntN(len(newcomers))], strconv.Itoa(r.IntN(2))
	if r.IntN(2) == 0 {
		username = people[r.IntN(len(people))]
	}
	switch r.IntN(8) {
	case 0:
		return callDeleteUser(username)
	case 1, 2:
		u := NewUser{Username: username, Name: key}
		return call{fmt.Sprintf("create user %s under %s", username, key), func(ctx context.Context, w *Writers) error {
			_, err := w.CreateUser(ctx, "a", u, &key)
			return err
		}, func(w world) Code {
			origin := "origin user " + username
			if w[origin] == key && w["gone "+username] != "" {
				return NotFound
			}
			if w[origin] == key {
				return ""
			}
			code := modelNewUser(w, username, key)
			if code == "" {
				w[origin] = key
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
		return call{fmt.Sprintf("rename %s to %s, email %q", username, key, email), func(ctx context.Context, w *Writers) error {
			_, err := w.UpdateUser(ctx, c)
			return err
		}, func(w world) Code {
			return modelUpdate(w, username, func(_, _, age string) string { return said(key, email, age) })
		}}
	case 5, 6:
		return callBirthday(username)
	}
	return callFollow(r)
}

// modelUpdate changes what is said of a user.
func modelUpdate(w world, username string, change func(name, email, age string) string) Code {
	if w["user "+username] == "" {
		return NotFound
	}
	fields := strings.Split(w["said of "+username], "|")
	w["said of "+username] = change(fields[0], fields[1], fields[2])
	return ""
}

// callBirthday adds a year to a user's age: whoever finds that others changed the user since it was read reads again.
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
				return refuse(NotFound, "username", "there is no %q", username)
			}
			c := UserChange{Username: username, Age: Change[int]{true, pointer(1)}, ExpectedVersion: user.Version}
			if user.Age != nil {
				*c.Age.Value += *user.Age
			}
			_, err = w.UpdateUser(ctx, c)
			if code := outcome(err); code != Conflict {
				return err
			}
		}
	}, func(w world) Code {
		return modelUpdate(w, username, func(name, email, age string) string {
			n, _ := strconv.Atoi(age)
			return said(name, email, strconv.Itoa(n+1))
		})
	}}
}

func callDeleteUser(username string) call {
	return call{"delete user " + username, func(ctx context.Context, w *Writers) error { return w.DeleteUser(ctx, username) }, func(w world) Code {
		if w["user "+username] == "" {
			return NotFound
		}
		delete(w, "user "+username)
		delete(w, "said of "+username)
		delete(w, "account "+username)
		w["gone "+username] = "1"
		vanishPosts(w, username)
		vanishPlays(w, func(by, _ string) bool { return by == username })
		for fact := range w {
			switch fields := strings.Fields(fact); fields[0] {
			case "follow", "has":
				if fields[1] == username || fields[0] == "follow" && fields[2] == username {
					delete(w, fact)
				}
			}
		}
		return ""
	}}
}

// observeUsers also reports what a user who is gone still has.
func observeUsers(ctx context.Context, store hbase.Store, w world) error {
	var wrong []error
	for row, err := range store.Scan(ctx, hbase.Scan{Table: tables.Users.Table, Columns: tables.Attributes}) {
		if err != nil {
			return err
		}
		username, err := tables.OwnerOf(row.Key)
		if err != nil {
			continue // a further bucket of a list
		}
		for _, key := range []string{"0", "1"} {
			if attribute(row.Cells, tables.Origin) == tables.KeyedName("a", key) {
				w["origin user "+username] = key
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
			w["said of "+username] = said(*user.Name, email, age)
		case attribute(row.Cells, "name") == tables.Gone:
			w["gone "+username] = "1"
			for _, c := range row.Cells {
				if value := string(c.Value); strings.HasSuffix(c.Qualifier, "Count") && value != "0" || c.Qualifier == "email" && value != tables.Gone {
					wrong = append(wrong, fmt.Errorf("%s is gone, and %s is %q", username, c.Qualifier, value))
				}
			}
		}
	}
	return errors.Join(wrong...)
}
