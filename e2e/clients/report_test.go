package clients

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

type report struct {
	Profile struct {
		Name  string
		Twits struct{ Nodes []twit }

		Followers struct {
			Nodes []struct {
				Username string
				Games    struct{ Nodes []struct{ Code string } }
			}
		}
	}
	Forward, Backward []string
	// Change has the values before a mutation, in the store, and queried again.
	Change struct {
		Followers, Twits []int
		Follows          []bool
		Newest           [2][]twit
	}
	Update struct {
		Name, Email, AvatarURL string
		Age                    *int
	}
	Live   []string
	Errors struct {
		Failed  [][2]any
		Partial struct {
			CreateRole json.RawMessage
			Follow     struct{ User struct{ Username string } }
		}
		Rejected     []userError
		Subscription string
	}
	// Renewals is by transport.
	Renewals map[string]int
}

type (
	twit      struct{ ID, Content string }
	userError struct{ Code, Field string }
)

func run(t *testing.T, folder, program string, args ...string) []byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, program, args...)
	command.Dir, command.WaitDelay = folder, time.Second
	var stderr bytes.Buffer
	command.Stderr = &stderr
	output, err := command.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", folder, program, err, &stderr)
	}
	return output
}

// The proxy closes its first two connections after a second.
func (s server) unreliableURL(t *testing.T) (url string) {
	t.Helper()
	host, path, _ := strings.Cut(strings.TrimPrefix(s.url, "http://"), "/")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for n := 0; ; n++ {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", host)
			if err != nil {
				client.Close()
				continue
			}
			go io.Copy(server, client)
			go io.Copy(client, server)
			if n < 2 {
				time.AfterFunc(time.Second, func() {
					client.Close()
					server.Close()
				})
			}
		}
	}()
	return "http://" + listener.Addr().String() + "/" + path
}

func check(t *testing.T, text []byte) {
	t.Helper()
	var r report
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	t.Run("a nested query is answered", func(t *testing.T) {
		var names, games []string
		for _, follower := range r.Profile.Followers.Nodes {
			names = append(names, follower.Username)
			for _, game := range follower.Games.Nodes {
				games = append(games, game.Code)
			}
		}
		equal(t, "李雷", r.Profile.Name)
		equal(t, []string{"HanMeimei", "Lucy", "Jim"}, names)
		equal(t, []string{"go", "tetris", "chess"}, games)
	})
	t.Run("pages forward and backward have the same entries", func(t *testing.T) {
		equal(t, 76, len(r.Forward))
		equal(t, 76, len(slices.Compact(slices.Sorted(slices.Values(r.Forward)))))
		equal(t, []string{"HanMeimei", "Lucy", "Jim"}, r.Forward[:3])
		equal(t, r.Forward, r.Backward)
	})
	t.Run("the program's store agrees with a second query after mutations", func(t *testing.T) {
		equal(t, []int{1, 2, 2}, r.Change.Followers)
		equal(t, []bool{false, true, true}, r.Change.Follows)
		equal(t, []int{6, 7, 7}, r.Change.Twits)
		equal(t, r.Change.Newest[1], r.Change.Newest[0])
		equal(t, "Polly can say hello.", r.Change.Newest[0][0].Content)
	})
	t.Run("an attribute that is left out stays, and null removes one", func(t *testing.T) {
		equal(t, "Li Lei", r.Update.Name)
		equal(t, "lilei@example.org", r.Update.Email)
		equal(t, "https://example.org/avatars/lilei.png", r.Update.AvatarURL)
		equal(t, (*int)(nil), r.Update.Age)
	})
	t.Run("a subscription delivers everything once over lost connections and a new token", func(t *testing.T) {
		var want []string
		for n := range 20 {
			want = append(want, "news "+strconv.Itoa(n))
		}
		equal(t, want, r.Live)
	})
	t.Run("an expired token is renewed", func(t *testing.T) {
		equal(t, 1, r.Renewals["HTTP"])
		equal(t, 1, r.Renewals["WebSocket"])
	})
	t.Run("a failed field has a path and a code, and the others have data", func(t *testing.T) {
		equal(t, [][2]any{{[]any{"createRole"}, "FORBIDDEN"}}, r.Errors.Failed)
		equal(t, "null", string(r.Errors.Partial.CreateRole))
		equal(t, "Kate", r.Errors.Partial.Follow.User.Username)
	})
	t.Run("a rejected subscription has a code", func(t *testing.T) {
		equal(t, "BAD_USER_INPUT", r.Errors.Subscription)
	})
	t.Run("a rejected input has a code and a field", func(t *testing.T) {
		equal(t, []userError{{"NOT_FOUND", "username"}}, r.Errors.Rejected)
	})
}

func equal[T any](t *testing.T, want, got T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
