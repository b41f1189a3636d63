package clients

import (
	"testing"
)

func TestGenqlientQueriesAndSubscribes(t *testing.T) {
	t.Parallel()
	s := start(t)
	check(t, run(t, "genqlient", "go", "run", ".", s.url, s.tokens(t, "LiLei"), s.unreliableURL(t)))
}
