//go:build linux

package kill

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"twibase/graph/apierr"
	"twibase/graph/auth"
)

var connections = &http.Client{Timeout: 40 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 100}}

func get(url string) (status int, err error) {
	r, err := connections.Get(url)
	if err != nil {
		return 0, err
	}
	defer r.Body.Close()
	_, err = io.Copy(io.Discard, r.Body)
	return r.StatusCode, err
}

// op is a mutation, and what it makes true.
type op struct {
	name  string
	input map[string]any
	// as is whose it is: of an administrator if it is empty.
	as string
	// selection is what is selected of the payload besides the errors.
	selection string
	// makes says of facts what they are afterwards.
	makes map[string]string
	// accepts are user errors that may come, and change nothing.
	accepts []string
	// again is whether it may be sent again if nobody knows what became of it.
	again bool
	// done gets the payload of an op that was acknowledged.
	done func(payload any)
}

// client makes mutations, one after the other, about things that nobody else changes. So it knows what must be, but for what it was not told.
type client struct {
	w    *world
	name string
	rand *rand.Rand
	// facts are what may be, by name: several values of those of which that is not known. Empty is what is not there.
	facts map[string][]string
	// gone are the facts that end when another does.
	gone map[string][]string
	// ids are those of twits and comments, by their contents.
	ids map[string]string
	n   int
	// doubt is an op to be sent again.
	doubt *op
	// longest is the longest time between two acknowledgements.
	last    time.Time
	longest time.Duration
	// answered is how many were acknowledged.
	answered atomic.Int64
}

// is returns what is known for sure, and whether it is known.
func (c *client) is(fact string) (string, bool) {
	switch values := c.facts[fact]; len(values) {
	case 0:
		return "", true
	case 1:
		return values[0], true
	}
	return "", false
}

// known returns the facts of a kind that are surely there, in an order of their own.
func (c *client) known(kind string) (names []string) {
	for fact := range c.facts {
		if rest, mine := strings.CutPrefix(fact, kind+" "); mine {
			if value, sure := c.is(fact); sure && value != "" {
				names = append(names, rest)
			}
		}
	}
	slices.Sort(names)
	return names
}

// one returns one of them.
func (c *client) one(names []string) (string, bool) {
	if len(names) == 0 {
		return "", false
	}
	return names[c.rand.IntN(len(names))], true
}

// fresh returns a name that nobody else has.
func (c *client) fresh(prefix string) string {
	c.n++
	return fmt.Sprintf("%s-%s-%d", prefix, c.name, c.n)
}

// ends says that a fact is not there any more when another one is not, if that is one of the client's.
func (c *client) ends(fact, with string) {
	if c.facts[with] != nil && !slices.Contains(c.gone[with], fact) {
		c.gone[with] = append(c.gone[with], fact)
	}
}

// ending are the facts that end with one, and with those.
func (c *client) ending(fact string) map[string]string {
	makes := map[string]string{fact: ""}
	for _, other := range c.gone[fact] {
		maps.Copy(makes, c.ending(other))
	}
	return makes
}

// actor is the client's own user, or one of those that it made.
func (c *client) actor() string {
	who, _ := c.one(append(c.known("user"), c.name))
	return who
}

// run makes mutations until stop says so.
func (c *client) run(stop *atomic.Bool) {
	c.last = time.Now()
	for !stop.Load() {
		o := c.doubt
		if o == nil {
			// The last one, the tide, more often than others: it turns soon.
			o = c.w.nouns[min(c.rand.IntN(len(c.w.nouns)+5), len(c.w.nouns)-1)].act(c)
		}
		if o != nil && (c.doubt != nil || c.sure(o)) {
			c.send(o)
		}
	}
}

func (c *client) sure(o *op) bool {
	for fact := range o.makes {
		if _, sure := c.is(fact); !sure {
			return false
		}
	}
	return true
}

// send makes a mutation, and notes what is known then.
func (c *client) send(o *op) {
	query := fmt.Sprintf("mutation($input:%sInput!){%s(input:$input){userErrors{code field message} %s}}",
		strings.ToUpper(o.name[:1])+o.name[1:], o.name, o.selection)
	data, errs, err := c.w.ask(c.rand.IntN(len(c.w.gateways)), o.as, query, map[string]any{"input": o.input})
	payload := dig(data, o.name)
	c.doubt = nil
	switch {
	case err == nil && len(errs) == 0 && payload != nil:
		if refused := list(dig(payload, "userErrors")); len(refused) > 0 {
			if code, _ := dig(refused[0], "code").(string); !slices.Contains(o.accepts, code) {
				c.w.wrong("%s %v is refused: %v", o.name, o.input, refused)
			}
			c.w.refused.Add(1)
			return
		}
		for fact, value := range o.makes {
			c.facts[fact] = []string{value}
		}
		if o.done != nil {
			o.done(payload)
		}
		c.w.acknowledged[o.name].Add(1)
		now := time.Now()
		c.longest = max(c.longest, now.Sub(c.last))
		c.last = now
		c.answered.Add(1)
		return
	case errors.Is(err, syscall.ECONNREFUSED): // it was never sent
		time.Sleep(10 * time.Millisecond)
		return
	case err == nil && !slices.ContainsFunc(errs, unavailable):
		c.w.wrong("%s %v fails: %v", o.name, o.input, errs)
	}
	c.w.unknown.Add(1)
	for fact, value := range o.makes {
		if was := c.facts[fact]; len(was) == 0 {
			c.facts[fact] = []string{"", value}
		} else if !slices.Contains(was, value) {
			c.facts[fact] = append(slices.Clone(was), value)
		}
	}
	if o.again && c.rand.IntN(2) == 0 {
		c.doubt = o
	}
	time.Sleep(time.Duration(5+c.rand.IntN(20)) * time.Millisecond)
}

func unavailable(e any) bool {
	code, _ := dig(e, "extensions", "code").(string)
	return code == string(apierr.CodeUnavailable) || code == string(apierr.CodeTimeout)
}

// ask asks one of the gateways as a user, or an administrator if there is no name. An err is no answer, or none that is GraphQL.
func (w *world) ask(gateway int, as, query string, variables map[string]any) (data any, errs []any, err error) {
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		return nil, nil, err
	}
	r, err := http.NewRequest(http.MethodPost, "http://"+w.gateways[gateway].address+"/graphql", bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	viewer := auth.Viewer{Username: as}
	if as == "" {
		viewer = auth.Viewer{Username: "root", Admin: true}
	}
	token, _, err := w.tokens.Sign(viewer)
	if err != nil {
		return nil, nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+token)
	response, err := connections.Do(r)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	var answer struct {
		Data   any
		Errors []any
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return nil, nil, err
	}
	if response.StatusCode >= 500 {
		return nil, nil, fmt.Errorf("status %d", response.StatusCode)
	}
	return answer.Data, answer.Errors, nil
}

// dig goes down into what JSON decodes to, and returns nil where there is nothing.
func dig(v any, path ...string) any {
	for _, name := range path {
		object, _ := v.(map[string]any)
		v = object[name]
	}
	return v
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

func text(v any, path ...string) string {
	s, _ := dig(v, path...).(string)
	return s
}
