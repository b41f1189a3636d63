package resolvers

import (
	"context"
	"testing"

	"twibase/graph/auth"
	"twibase/hbase"
	"twibase/loaders"
	"twibase/resolvers/permission"
)

type emptyStore struct{ hbase.Store }

func (emptyStore) Get(_ context.Context, gets []hbase.Get) ([]hbase.Result, error) {
	return make([]hbase.Result, len(gets)), nil
}

func TestUnauthenticatedSaysWhatToDo(t *testing.T) {
	for _, test := range []struct {
		name string
		ctx  context.Context
		want string
	}{
		{"without a token", t.Context(), "createGame needs a token: log in, and send Authorization: Bearer TOKEN"},
		{"the user of the token is deleted", auth.WithViewer(t.Context(), auth.Viewer{Username: "LiLei"}),
			"createGame needs an existing user, and the user of the token does not exist: log in as another user"},
	} {
		t.Run(test.name, func(t *testing.T) {
			ctx := loaders.With(test.ctx, emptyStore{})
			if _, err := authorizeNow(ctx, permission.CreateGame, permission.Target{}); err == nil || err.Error() != test.want {
				t.Errorf("error %v, want %s", err, test.want)
			}
		})
	}
}
