//go:build linux

package kill

import (
	"fmt"
	"slices"
	"strings"
)

// The value of the fact "department CODE" is the parent and the name.

const noParent = "-"

func (c *client) parents() map[string]string {
	parents := map[string]string{}
	for _, code := range c.existing("department") {
		value, _ := c.value("department " + code)
		parents[code], _, _ = strings.Cut(value, " ")
	}
	return parents
}

func mutateDepartment(c *client) *mutation {
	parents := c.parents()
	existing := c.existing("department")
	// Children are certain only if all departments are.
	certain := len(existing) == len(c.possible("department"))
	code, found := c.pick(existing)
	parent, _ := c.pick(append(existing, "top", noParent))
	input := func(code string) map[string]any {
		input := map[string]any{"code": code}
		if parent != noParent {
			input["parent"] = parent
		}
		return input
	}
	value, _ := c.value("department " + code)
	_, name, _ := strings.Cut(value, " ")
	switch n := c.rand.IntN(20); {
	case len(existing) < 3 || n < 3 && len(existing) < 8:
		code = c.newName("department")
		in := input(code)
		in["name"], in["idempotencyKey"] = "D", code
		return &mutation{name: "createDepartment", input: in, retryable: true,
			effects: map[string]string{"department " + code: parent + " D"}}
	case !found:
		return nil
	case n < 6:
		name := c.newName("name")
		return &mutation{name: "updateDepartment", input: map[string]any{"code": code, "name": name}, retryable: true,
			effects: map[string]string{"department " + code: parents[code] + " " + name}}
	case n < 9:
		m := &mutation{name: "deleteDepartment", input: map[string]any{"code": code},
			effects: map[string]string{"department " + code: ""}}
		moveUp := c.rand.IntN(2) == 0
		m.input["moveChildrenUp"] = moveUp
		for _, child := range existing {
			if parents[child] != code {
				continue
			}
			if !moveUp {
				m.allowedErrors, m.effects = []string{"HAS_CHILDREN"}, nil
				return m
			}
			value, _ := c.value("department " + child)
			_, name, _ := strings.Cut(value, " ")
			m.effects["department "+child] = parents[code] + " " + name
		}
		if !certain {
			return nil
		}
		return m
	}
	if !certain {
		return nil
	}
	m := &mutation{name: "moveDepartment", input: input(code), retryable: true,
		effects: map[string]string{"department " + code: parent + " " + name}}
	for at := parent; at != noParent && at != "top"; at = parents[at] {
		if at == code {
			m.allowedErrors, m.effects = []string{"CYCLE"}, nil
			break
		}
	}
	return m
}

func readDepartments(c *client) (facts, error) {
	found := facts{}
	for _, code := range c.possible("department") {
		department, err := c.f.object(fmt.Sprintf("department(code:%q){name parent{code} ancestors{code}}", code))
		if err != nil {
			return nil, err
		}
		if department == nil {
			continue
		}
		parent := text(department, "parent", "code")
		if parent == "" {
			parent = noParent
		}
		found.add("department "+code, parent+" "+text(department, "name"))
		isItself := func(ancestor any) bool { return text(ancestor, "code") == code }
		if slices.ContainsFunc(list(dig(department, "ancestors")), isItself) {
			c.f.errorf("%s is its own ancestor", code)
		}
	}
	return found, nil
}
