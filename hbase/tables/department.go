package tables

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// MaxDepth is how many levels the tree of departments has at most.
const MaxDepth = 64

// Department is a node of the tree. Fields but the code are nil where they were not read or are absent; counts then are zero.
type Department struct {
	Code    string
	Name    *string
	Version *string
	// ParentCode is nil for a department of the top level.
	ParentCode *string
	ChildCount *int
	RoleCount  *int
}

// ID names the department.
func (d *Department) ID() ID { return ID{NounDepartment, d.Code} }

// Root is the owner of the list of top-level departments. It is no department itself.
const Root = ""

// Departments are the departments, by code.
var Departments = &Object[Department]{
	Table: "departments",
	key:   func(d *Department) *string { return &d.Code },
	attributes: []attribute[Department]{
		text("name", func(d *Department) **string { return &d.Name }),
		version(func(d *Department) **string { return &d.Version }),
		text("parent", func(d *Department) **string { return &d.ParentCode }, "ancestors"),
		count("childCount", func(d *Department) **int { return &d.ChildCount }),
		count("roleCount", func(d *Department) **int { return &d.RoleCount }),
	},
}

// Child is a member of a list of sub-departments, which is in the order of their names, then codes.
type Child struct{ Name, Code string }

// Children are the departments directly below the owner, or below [Root].
var Children = &List[Child]{
	Table: "departments", Family: "c", CountTable: "departments", Count: "childCount",
	position: func(qualifier string) error { _, err := decodeChild("", qualifier, nil); return err },
	decode:   decodeChild,
	encode:   func(c Child) (string, []byte) { return c.Name + separator + c.Code, nil },
}

func decodeChild(_, qualifier string, _ []byte) (Child, error) {
	name, code, _ := strings.Cut(qualifier, separator)
	if err := CheckDepartmentName(name); err != nil {
		return Child{}, err
	}
	return Child{name, code}, CheckCode(code)
}

// CheckDepartmentName reports why s can't be the name of a department: 1–180 bytes of UTF-8 without control characters.
func CheckDepartmentName(s string) error {
	if len(s) < 1 || len(s) > MaxDepartmentName {
		return fmt.Errorf("%w: a department's name has 1 to %d bytes, not %d", ErrName, MaxDepartmentName, len(s))
	}
	if !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return fmt.Errorf("%w: a department's name is UTF-8 without control characters", ErrName)
	}
	return nil
}

// DepartmentRoles are the codes of the roles that the department defines, ascending.
var DepartmentRoles = nameList("departments", "r", "departments", "roleCount", CheckCode)
