package clients

import (
	"encoding/json"
	"path"
	"slices"
	"strings"
	"testing"
)

type javascriptReport struct {
	Profile struct{ User profile }
	// Newest is nil if the program has no fragments.
	Newest []struct{ Content string }
	// Unauthorized has the statuses of concurrent requests with an expired token, and of their
	// retries.
	Unauthorized      []int
	Statuses          []int // of all other requests
	Forward, Backward []string
	Comments          [][]string
	// Before and Store are the program's store before and after two mutations. Network is the
	// response to a later query.
	Before, Store, Network state
	// After has the twits after the cursor of the payload's edge, or is nil if not queried.
	After    []string
	Deferred []deferred
	// Unreadable is zero if the program has no @throwOnFieldError.
	Unreadable struct {
		Nulls, Throwing []bool // by edge: the node is null, its fragment throws
		Message         string // of the error that the query throws
		More            string // of a query with more failed fields than errors
	}
	// Nulls has an attribute after updates without it, and with null.
	Nulls     *struct{ Kept, Removed *int }
	Events    []string
	Renewals  int
	Closed    []int
	UserError struct {
		Twit, TwitEdge json.RawMessage // a program selects one of them
		UserErrors     []userError
	}
	// Form has the errors of a bad photo, or is nil without a form.
	Form        map[string]string
	FieldErrors struct {
		Data struct {
			Follow     struct{ User struct{ Username string } }
			CreateGame json.RawMessage
		}
		Errors []fieldError
	}
	RequestError struct {
		Class, Code string
		Data        json.RawMessage
	}
	// Untrusted is the error code for a document outside the manifest.
	Untrusted string
}

type deferred struct {
	Query           [][]string
	Mutation, Event string
}

type fieldError struct {
	Path []string
	Code string
}

type profile struct {
	Name            string
	Email, Timeline json.RawMessage
	Following       struct {
		Edges []struct {
			Node struct {
				Username string
				Twits    struct {
					Edges []struct {
						Node struct {
							Content string
							Author  struct{ Name string }
						}
					}
				}
			}
		}
	}
}

// Counts has the viewer's twitCount, totalCount of twits and followingCount, and the other's
// followerCount.
type state struct {
	Twits     []string
	Following []string // nil if not queried
	Counts    []int
	Follows   bool
}

func (c javascript) check(t *testing.T, s server) {
	t.Helper()
	text := run(t, ".", "node", path.Join(c.folder, c.script), s.url, s.tokens(t, c.viewer), c.viewer, c.other, commented)
	var r javascriptReport
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	t.Run("a nested query is answered, with null for what the viewer may not see", func(t *testing.T) {
		var got [][3]string
		for _, edge := range r.Profile.User.Following.Edges {
			twit := edge.Node.Twits.Edges[0].Node
			got = append(got, [3]string{edge.Node.Username, twit.Content, twit.Author.Name})
		}
		equal(t, [][3]string{{"UncleWang", "小明的象棋下得不错。", "王叔叔"}, {"小红", "樱花开了🌸", "小红"}}, got)
		equal(t, "李雷", r.Profile.User.Name)
		equal(t, "null", string(r.Profile.User.Email))
		equal(t, "null", string(r.Profile.User.Timeline))
		if r.Newest != nil {
			equal(t, []struct{ Content string }{{"小明的象棋下得不错。"}, {"樱花开了🌸"}}, r.Newest)
		}
	})
	t.Run("pages forward and backward have the same entries", func(t *testing.T) {
		equal(t, 76, len(slices.Compact(slices.Sorted(slices.Values(r.Forward)))))
		equal(t, []string{"HanMeimei", "Lucy", "Jim"}, r.Forward[:3])
		equal(t, r.Forward, r.Backward)
	})
	t.Run("paging goes on after an empty page", func(t *testing.T) { equal(t, c.pages, r.Comments) })
	t.Run("the store agrees with a second query after mutations", func(t *testing.T) {
		want := state{Twits: append([]string{"news"}, r.Before.Twits...), Follows: true}
		want.Twits = want.Twits[:min(3, len(want.Twits))]
		if r.Before.Following != nil {
			want.Following = append([]string{c.other}, r.Before.Following...)
			want.Following = want.Following[:min(3, len(want.Following))]
		}
		for _, count := range r.Before.Counts {
			want.Counts = append(want.Counts, count+1)
		}
		equal(t, 4, len(want.Counts))
		equal(t, false, r.Before.Follows)
		equal(t, want, r.Store)
		equal(t, want, r.Network)
	})
	if r.After != nil {
		t.Run("the list goes on after the edge of a payload", func(t *testing.T) {
			equal(t, r.Network.Twits[1:], r.After[:len(r.Network.Twits)-1])
		})
	}
	t.Run("a subscription goes on with a new token", func(t *testing.T) {
		if len(r.Events) != 2 || !strings.HasPrefix(r.Events[0], "before ") || !strings.HasPrefix(r.Events[1], "after ") {
			t.Errorf("events %q", r.Events)
		}
		normal := slices.Repeat([]int{1000}, max(1, len(r.Closed)-1)) // when no subscription is left
		equal(t, slices.Concat([]int{4403}, normal), r.Closed)
	})
	t.Run("requests with an expired token are sent again, after one renewal for all", func(t *testing.T) {
		slices.Sort(r.Unauthorized)
		equal(t, []int{200, 200, 200, 200, 401, 401}, r.Unauthorized)
		equal(t, 2, r.Renewals) // and one for the subscription's
	})
	if c.deferred > 0 || r.Deferred != nil {
		t.Run("deferred and streamed fields are in the store after one response", func(t *testing.T) {
			c.checkDeferred(t, r.Deferred)
		})
	}
	c.checkErrors(t, r)
	if c.folder == "relay" {
		t.Run("a field that cannot be read is null, or with @throwOnFieldError its reader throws", func(t *testing.T) {
			u := r.Unreadable
			equal(t, u.Nulls, u.Throwing)
			unread := slices.Index(u.Throwing, true)
			if unread < 0 || len(u.Throwing) < 10 || slices.Contains(u.Throwing[unread+1:], true) ||
				!strings.HasPrefix(u.Message, "Relay: Unexpected response payload") {
				t.Errorf("%+v", u)
			}
		})
		t.Run("a response with more failed fields than errors has no data", func(t *testing.T) {
			if !strings.HasPrefix(r.Unreadable.More, "No data returned for operation `mainMoreErrorsThanListedQuery`") {
				t.Error(r.Unreadable.More)
			}
		})
	}
	if r.Nulls != nil {
		t.Run("undefined keeps an attribute, and null removes it", func(t *testing.T) {
			if r.Nulls.Kept == nil || r.Nulls.Removed != nil {
				t.Errorf("%+v", r.Nulls)
			}
		})
	}
}

func (c javascript) checkDeferred(t *testing.T, got []deferred) {
	for i, d := range got {
		if text, _, found := strings.Cut(d.Event, " "); found {
			got[i].Event = text
		}
	}
	want := deferred{
		Query: [][]string{
			{"小明的象棋下得不错。", "祝大家新春快乐，万事如意！"}, {"樱花开了🌸", "十二局俄罗斯方块，手都酸了。"},
		},
		Mutation: "deferred",
		Event:    "event",
	}
	equal(t, slices.Repeat([]deferred{want}, c.deferred), got)
}

func (c javascript) checkErrors(t *testing.T, r javascriptReport) {
	t.Run("a rejected input has a code and a field", func(t *testing.T) {
		equal(t, "null", string(r.UserError.Twit)+string(r.UserError.TwitEdge))
		equal(t, []userError{{Code: "BAD_USER_INPUT", Field: "content"}}, r.UserError.UserErrors)
	})
	if c.folder == "apollo" {
		t.Run("a form shows the error of an element of a list", func(t *testing.T) {
			want := "a URL is absolute, with http or https, without blanks or a user name, and has at most 2048 bytes"
			equal(t, map[string]string{"photoUrls.1": want}, r.Form)
		})
	}
	t.Run("a failed field has a path and a code, and the others have data", func(t *testing.T) {
		equal(t, []fieldError{{Path: []string{"createGame"}, Code: "FORBIDDEN"}}, r.FieldErrors.Errors)
		equal(t, c.other, r.FieldErrors.Data.Follow.User.Username)
		want := "null"
		if c.folder == "relay" { // whose program catches the error at the field
			want = `{"errors":[{"extensions":{"code":"FORBIDDEN"}}],"ok":false}`
		}
		equal(t, want, string(r.FieldErrors.Data.CreateGame))
	})
	t.Run("a rejected request has no data", func(t *testing.T) {
		equal(t, c.class+" LIMIT_EXCEEDED null", r.RequestError.Class+" "+r.RequestError.Code+" "+string(r.RequestError.Data))
		equal(t, 400, r.Statuses[len(r.Statuses)-1])
	})
	if c.folder == "codegen" {
		t.Run("a document that is not in the manifest is rejected", func(t *testing.T) { equal(t, "FORBIDDEN", r.Untrusted) })
	}
}
