//go:build linux

package kill

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"twibase/graph/apierr"
)

type mutation struct {
	name  string
	input map[string]any
	// viewer is an administrator if empty.
	viewer    string
	selection string
	effects   map[string]string
	// allowedErrors are codes of user errors without an effect.
	allowedErrors []string
	retryable     bool
	onSuccess     func(payload any)
}

type client struct {
	f    *fixture
	name string
	rand *rand.Rand
	// facts has the possible values of each fact, several after an unknown outcome. A fact is a
	// kind and keys, such as "follow a b". An absent fact has an empty value.
	facts        map[string][]string
	dependents   map[string][]string
	ids          map[string]string
	names        int
	retry        *mutation
	last         time.Time
	longestPause time.Duration
	acknowledged atomic.Int64
}

func (c *client) value(fact string) (value string, certain bool) {
	switch values := c.facts[fact]; len(values) {
	case 0:
		return "", true
	case 1:
		return values[0], true
	}
	return "", false
}

func (c *client) possible(kind string) (keys []string) {
	for fact := range c.facts {
		if key, matches := strings.CutPrefix(fact, kind+" "); matches {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

func (c *client) existing(kind string) []string {
	return slices.DeleteFunc(c.possible(kind), func(key string) bool {
		value, certain := c.value(kind + " " + key)
		return !certain || value == ""
	})
}

func (c *client) pick(names []string) (name string, found bool) {
	if len(names) == 0 {
		return "", false
	}
	return names[c.rand.IntN(len(names))], true
}

func (c *client) newName(prefix string) string {
	c.names++
	return fmt.Sprintf("%s-%s-%d", prefix, c.name, c.names)
}

func (c *client) dependsOn(fact, other string) {
	if c.facts[other] != nil && !slices.Contains(c.dependents[other], fact) {
		c.dependents[other] = append(c.dependents[other], fact)
	}
}

func (c *client) deletion(fact string) map[string]string {
	effects := map[string]string{fact: ""}
	for _, dependent := range c.dependents[fact] {
		maps.Copy(effects, c.deletion(dependent))
	}
	return effects
}

func (c *client) user() string {
	name, _ := c.pick(append(c.existing("user"), c.name))
	return name
}

func (c *client) users() []string { return append(c.possible("user"), c.name) }

func (c *client) run(stop *atomic.Bool) {
	c.last = time.Now()
	for !stop.Load() {
		m := c.retry
		if m == nil {
			// The timeline, the last noun, changes most often: its author changes with each kill.
			m = nouns[min(c.rand.IntN(len(nouns)+5), len(nouns)-1)].mutate(c)
		}
		if m != nil && (c.retry != nil || c.isCertain(m)) {
			c.send(m)
			time.Sleep(c.f.pause)
		}
	}
}

func (c *client) isCertain(m *mutation) bool {
	for fact := range m.effects {
		if _, certain := c.value(fact); !certain {
			return false
		}
	}
	return true
}

func (c *client) send(m *mutation) {
	query := fmt.Sprintf("mutation($input:%sInput!){%s(input:$input){userErrors{code field message} %s}}",
		strings.ToUpper(m.name[:1])+m.name[1:], m.name, m.selection)
	data, errs, err := c.f.query(c.rand.IntN(len(c.f.gateways)), m.viewer, query, map[string]any{"input": m.input})
	payload := dig(data, m.name)
	c.retry = nil
	switch {
	case err == nil && len(errs) == 0 && payload != nil:
		if rejected := list(dig(payload, "userErrors")); len(rejected) > 0 {
			if code := text(rejected[0], "code"); !slices.Contains(m.allowedErrors, code) {
				c.f.errorf("%s %v is rejected: %v", m.name, m.input, rejected)
			}
			c.f.rejected.Add(1)
			return
		}
		c.acknowledge(m, payload)
		return
	case errors.Is(err, syscall.ECONNREFUSED):
		time.Sleep(10 * time.Millisecond)
		return
	case err == nil && !slices.ContainsFunc(errs, isUnavailable):
		c.f.errorf("%s %v fails: %v", m.name, m.input, errs)
	}
	c.f.unknown.Add(1)
	for fact, value := range m.effects {
		if was := c.facts[fact]; len(was) == 0 {
			c.facts[fact] = []string{"", value}
		} else if !slices.Contains(was, value) {
			c.facts[fact] = append(slices.Clone(was), value)
		}
	}
	if m.retryable && c.rand.IntN(2) == 0 {
		c.retry = m
	}
	time.Sleep(time.Duration(5+c.rand.IntN(20)) * time.Millisecond)
}

func (c *client) acknowledge(m *mutation, payload any) {
	for fact, value := range m.effects {
		c.facts[fact] = []string{value}
	}
	if m.onSuccess != nil {
		m.onSuccess(payload)
	}
	c.f.acknowledged[m.name].Add(1)
	now := time.Now()
	c.longestPause = max(c.longestPause, now.Sub(c.last))
	c.last = now
	c.acknowledged.Add(1)
}

func (c *client) compare(n noun, found facts) (compared int) {
	for fact, possible := range c.facts {
		if kind, _, _ := strings.Cut(fact, " "); !slices.Contains(n.kinds, kind) {
			continue
		}
		compared++
		value := found[fact]
		if !slices.Contains(possible, value) {
			c.f.errorf("%s: %q is %q, want one of %q", c.name, fact, value, possible)
		}
		if delete(found, fact); value == "" {
			delete(c.facts, fact)
		} else {
			c.facts[fact] = []string{value}
		}
	}
	for fact, value := range found {
		c.f.errorf("%s: %q is %q, which no mutation made", c.name, fact, value)
	}
	return compared
}

func isUnavailable(e any) bool {
	code := text(e, "extensions", "code")
	return code == string(apierr.CodeUnavailable) || code == string(apierr.CodeTimeout)
}

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
