package clients

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"twibase/e2e/loadtest"
	"twibase/graph/auth"
	"twibase/hbase"
	"twibase/hbase/embedded"
	"twibase/hbase/tables"
	"twibase/sample"
	"twibase/transfer"
)

type server struct {
	url    string
	secret string
}

func start(t *testing.T, flags ...string) server {
	t.Helper()
	program, err := loadtest.Program()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte(secret), 0o600); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"serve", "--listen", "127.0.0.1:0", "--store", "embedded:", "--jwt-secret-file", file},
		flags...)
	g, err := loadtest.Start(context.Background(), program, args...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if !slices.Contains(flags, "--production") { // without /metrics
			checkWatchdog(t, g.URL)
		}
		g.Stop()
	})
	return server{url: g.URL + "/graphql", secret: file}
}

const unreadable = "Polly"

// In the server's store, the followerCount of a user is unreadable.
func startUnreadable(t *testing.T) server {
	t.Helper()
	folder := t.TempDir()
	store, err := embedded.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := transfer.EnsureTables(t.Context(), store, 1); err != nil {
		t.Fatal(err)
	}
	if err := sample.Load(t.Context(), store); err != nil {
		t.Fatal(err)
	}
	put := hbase.Put{Table: tables.Users.Table, Row: tables.RowKey(unreadable), Cells: []hbase.Cell{
		{Family: tables.Attributes, Qualifier: "followerCount", Timestamp: time.Now().UnixMilli(), Value: []byte("x")},
	}}
	if err := hbase.MutateAll(t.Context(), store, []hbase.Mutation{put}); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	return start(t, "--store", "embedded:"+folder)
}

func (s server) signer(t *testing.T, lifetime time.Duration) *auth.Tokens {
	t.Helper()
	secrets, err := auth.ReadSecrets(s.secret)
	if err != nil {
		t.Fatal(err)
	}
	return &auth.Tokens{Secrets: secrets, Now: func() time.Time { return time.Now().Add(lifetime - auth.Lifetime) }}
}

// The URL returns tokens that are valid for an hour or the parameter lives.
func (s server) tokens(t *testing.T, username string) (url string) {
	t.Helper()
	source := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		lives := auth.Lifetime
		if text := r.FormValue("lives"); text != "" {
			var err error
			if lives, err = time.ParseDuration(text); err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
		}
		token, _, err := s.signer(t, lives).Sign(auth.Viewer{Username: username})
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		fmt.Fprint(w, token)
	}))
	t.Cleanup(source.Close)
	return source.URL
}
