package main

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/rs/zerolog"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// probeTimeout bounds the question whether the store answers.
const probeTimeout = 2 * time.Second

// ready answers 200 while the store answers for at least some of the users, since then other gateways could do no better, and the server does not end.
func ready(store hbase.Store, ends *drain) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if ends.over() {
			plain(w, http.StatusServiceUnavailable, "the server ends\n")
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), probeTimeout)
		defer cancel()
		if err := answers(ctx, store); err != nil {
			zerolog.Ctx(r.Context()).Warn().Err(err).Msg("the store does not answer")
			plain(w, http.StatusServiceUnavailable, "the store does not answer\n")
			return
		}
		plain(w, http.StatusOK, "ok\n")
	}
}

// answers is an error if the store answers for none of some rows that lie in all its regions. A master that is away is no reason: it is not asked
// for rows.
func answers(ctx context.Context, store hbase.Store) error {
	var gets []hbase.Get
	for _, row := range tables.Definitions(2 * defaultRegions)[0].Splits {
		gets = append(gets, hbase.Get{Table: tables.Users.Table, Row: row, Columns: tables.Attributes})
	}
	results, err := store.Get(ctx, gets)
	if err != nil {
		return err
	}
	for _, result := range results {
		if err = result.Err; err == nil {
			return nil
		}
	}
	return err
}

func plain(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text)
}
