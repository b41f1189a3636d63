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

// newcomers are those who sign up, each again and again, with either of two passwords.
var (
	newcomers = []string{"n1", "n2"}
	secrets   = []string{"correct horse", "another horse"}
)

func init() {
	modelled = append(modelled, modelNoun{name: "signUp", call: callSignUp, observe: observeAccounts})
}

// plain hashes as fast as can be.
func plain() *password.Hasher {
	return password.With(password.Params{KiB: 8, Passes: 1, Threads: 1}, func(secret, salt []byte, _, _ uint32, _ uint8, size uint32) []byte {
		hash := make([]byte, size)
		copy(hash, append(secret[:8:8], salt...))
		return hash
	})
}

func callSignUp(r *rand.Rand) call {
	name, secret := newcomers[r.IntN(len(newcomers))], secrets[r.IntN(len(secrets))]
	var key *string
	text := fmt.Sprintf("signUp %s with %s", name, secret)
	if r.IntN(2) == 0 {
		key = &signUpKeys[r.IntN(len(signUpKeys))]
		text += " under " + *key
	}
	return call{text, func(ctx context.Context, w *Writers) error {
		_, err := NewAccounts(w, plain()).SignUp(ctx, NewUser{Username: name, Name: name}, secret, key)
		return err
	}, func(w world) Code {
		code := modelNewUser(w, name, name)
		switch {
		case code == "":
			w["account "+name] = secret
			if key != nil {
				w["signed "+name] = *key
			}
		case key != nil && w["signed "+name] == *key && w["account "+name] == secret:
			return ""
		}
		return code
	}}
}

// signUpKeys are idempotency keys of those who sign up.
var signUpKeys = []string{"0", "1"}

// observeAccounts notes whose account has which password, and who signed up under which key.
func observeAccounts(ctx context.Context, store hbase.Store, w world) error {
	for row, err := range store.Scan(ctx, hbase.Scan{Table: tables.Users.Table, Columns: tables.Attributes}) {
		if err != nil {
			return err
		}
		for _, key := range signUpKeys {
			if name, err := tables.OwnerOf(row.Key); err == nil && strings.HasPrefix(attribute(row.Cells, tables.Origin), signUpKey(name, key)) {
				w["signed "+name] = key
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
		w["account "+name] = "of no password that was given"
		for _, secret := range secrets {
			if right, _, err := plain().Verify(ctx, secret, hash); err != nil {
				return err
			} else if right {
				w["account "+name] = secret
			}
		}
	}
	return nil
}
