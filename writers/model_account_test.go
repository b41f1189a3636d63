package writers

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/writers/password"
)

var (
	newUserNames = []string{"n1", "n2"}
	secrets      = []string{"correct horse", "another horse"}
)

func init() {
	modelled = append(modelled, modelNoun{name: "signUp", call: callSignUp, observe: observeAccounts})
}

func fastHasher() *password.Hasher {
	hash := func(secret, salt []byte, _, _ uint32, _ uint8, size uint32) []byte {
		hash := make([]byte, size)
		copy(hash, append(secret[:8:8], salt...))
		return hash
	}
	return password.With(password.Params{KiB: 8, Passes: 1, Threads: 1}, hash)
}

func callSignUp(r *rand.Rand) call {
	name, secret := newUserNames[r.IntN(len(newUserNames))], secrets[r.IntN(len(secrets))]
	var key *string
	text := fmt.Sprintf("signUp %s with %s", name, secret)
	if r.IntN(2) == 0 {
		key = &signUpKeys[r.IntN(len(signUpKeys))]
		text += " under " + *key
	}
	return call{text, func(ctx context.Context, w *Writers) error {
		_, err := NewAccounts(w, fastHasher()).SignUp(ctx, NewUser{Username: name, Name: name}, secret, key)
		return err
	}, func(f facts) Code {
		code := modelNewUser(f, name, name)
		switch {
		case code == "":
			f["account "+name] = secret
			if key != nil {
				f["signed "+name] = *key
			}
		case key != nil && f["signed "+name] == *key && f["account "+name] == secret:
			return ""
		}
		return code
	}}
}

var signUpKeys = []string{"0", "1"}

func observeAccounts(ctx context.Context, store hbase.Store, f facts) error {
	for row, err := range store.Scan(ctx, hbase.Scan{Table: tables.Users.Table, Columns: tables.Attributes}) {
		if err != nil {
			return err
		}
		for _, key := range signUpKeys {
			name, err := tables.OwnerOf(row.Key)
			if err == nil && strings.HasPrefix(attribute(row.Cells, tables.Origin), signUpKey(name, key)) {
				f["signed "+name] = key
			}
		}
	}
	for row, err := range store.Scan(ctx, hbase.Scan{Table: tables.Accounts.Table, Columns: tables.Attributes}) {
		if err != nil {
			return err
		}
		name, err := tables.OwnerOf(row.Key)
		if err != nil {
			return err
		}
		hash, _, err := tables.Accounts.Decode(row.Cells)
		if err != nil {
			return err
		}
		f["account "+name] = "an unknown password"
		for _, secret := range secrets {
			if right, _, err := fastHasher().Verify(ctx, secret, hash); err != nil {
				return err
			} else if right {
				f["account "+name] = secret
			}
		}
	}
	return nil
}
