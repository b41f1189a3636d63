//go:build linux

package kill

import (
	"slices"
	"strings"
)

// Departments: the fact says where one is, and what it is called.

// atTop is where a department is that has no parent.
const atTop = "-"

func (c *client) departments() map[string]string {
	parents := map[string]string{}
	for _, code := range c.known("department") {
		value, _ := c.is("department " + code)
		parents[code], _, _ = strings.Cut(value, " ")
	}
	return parents
}

func actDepartment(c *client) *op {
	parents := c.departments()
	mine := c.known("department")
	code, some := c.one(mine)
	parent, _ := c.one(append(mine, "top", atTop))
	input := func(code string) map[string]any {
		input := map[string]any{"code": code}
		if parent != atTop {
			input["parent"] = parent
		}
		return input
	}
	value, _ := c.is("department " + code)
	_, name, _ := strings.Cut(value, " ")
	switch n := c.rand.IntN(20); {
	case len(mine) < 3 || n < 3 && len(mine) < 8:
		code = c.fresh("department")
		in := input(code)
		in["name"], in["idempotencyKey"] = "D", code
		return &op{name: "createDepartment", input: in, again: true, makes: map[string]string{"department " + code: parent + " D"}}
	case !some:
		return nil
	case n < 6:
		shown := c.fresh("name")
		return &op{name: "updateDepartment", input: map[string]any{"code": code, "name": shown}, again: true,
			makes: map[string]string{"department " + code: parents[code] + " " + shown}}
	case n < 9:
		o := &op{name: "deleteDepartment", input: map[string]any{"code": code}, makes: map[string]string{"department " + code: ""}}
		up := c.rand.IntN(2) == 0
		o.input["moveChildrenUp"] = up
		for _, child := range mine {
			if parents[child] != code {
				continue
			}
			if !up {
				o.accepts, o.makes = []string{"HAS_CHILDREN"}, nil
				return o
			}
			is, _ := c.is("department " + child)
			_, called, _ := strings.Cut(is, " ")
			o.makes["department "+child] = parents[code] + " " + called
		}
		// Of one that nobody is sure about nobody knows whether it is below.
		if len(mine) != len(c.mentioned("department")) {
			return nil
		}
		return o
	}
	if len(mine) != len(c.mentioned("department")) {
		return nil
	}
	o := &op{name: "moveDepartment", input: input(code), again: true, makes: map[string]string{"department " + code: parent + " " + name}}
	for at := parent; at != atTop && at != "top"; at = parents[at] {
		if at == code {
			o.accepts, o.makes = []string{"CYCLE"}, nil
			break
		}
	}
	return o
}

func readDepartments(c *client, w *world) (facts, error) {
	found := facts{}
	for _, code := range c.mentioned("department") {
		data, err := w.see("query($d:String!){department(code:$d){name parent{code} ancestors{code}}}", map[string]any{"d": code})
		if err != nil {
			return nil, err
		}
		if dig(data, "department") == nil {
			continue
		}
		parent := text(data, "department", "parent", "code")
		if parent == "" {
			parent = atTop
		}
		found.add("department "+code, parent+" "+text(data, "department", "name"))
		if slices.ContainsFunc(list(dig(data, "department", "ancestors")), func(a any) bool { return text(a, "code") == code }) {
			w.wrong("%s is above itself", code)
		}
	}
	return found, nil
}
