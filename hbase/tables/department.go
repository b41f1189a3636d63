package tables

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"twibase/hbase"
)

// MaxDepth bounds the levels of the tree.
const MaxDepth = 64

// Department is a node of the tree.
type Department struct {
	Code       string
	Name       *string
	Version    *string
	ParentCode *string // nil at the top level
	ChildCount *int
	RoleCount  *int
}

func (d *Department) ID() ID { return ID{NounDepartment, d.Code} }

// Root owns the list of top-level departments. No department has this key.
const Root = ""

// Departments are the departments, by code.
var Departments = &Object[Department]{
	AnyObject: AnyObject{Noun: NounDepartment, Name: "department", Table: "departments", Reusable: true,
		CheckKey: CheckCode},

	key: func(d *Department) *string { return &d.Code }, keyColumn: "id",
	attributes: []attribute[Department]{
		text("name", func(d *Department) **string { return &d.Name }).
			inFile("name", checked(CheckDepartmentName)).writable(OfDepartmentName),
		version(func(d *Department) **string { return &d.Version }),
		text("parent", func(d *Department) **string { return &d.ParentCode }, "ancestors").
			inFile("parent", checked(CheckCode)).writable(OfCode),
		count("childCount", func(d *Department) **int { return &d.ChildCount }),
		count("roleCount", func(d *Department) **int { return &d.RoleCount }),
	},
}

// Tree is the row of [Root], the commit row of all changes of the tree.
var Tree = tree{}

type tree struct{}

const treeDepth = "depth"

func (tree) Get() hbase.Get {
	return Departments.Get(Root, Attributes+":childCount "+Attributes+":"+treeDepth+" "+Attributes+":"+CompleteColumn)
}

// Depth returns an upper bound. known is false after an import by an early version.
func (tree) Depth(cells []hbase.Cell) (levels int, known bool, err error) {
	empty := true
	for i, c := range cells {
		switch {
		case c.Family != Attributes:
		case c.Qualifier == treeDepth:
			levels, err = DecodeCount(cells[i : i+1])
			return levels, err == nil, err
		case c.Qualifier == "childCount":
			empty = string(c.Value) == "0"
		}
	}
	return 0, empty, nil
}

func (tree) DepthCell(levels int, timestamp int64) hbase.Cell {
	return textCell(treeDepth, strconv.Itoa(levels), timestamp)
}

func (tree) Put(cells ...hbase.Cell) hbase.Put {
	return hbase.Put{Table: Departments.Table, Row: RowKey(Root), Cells: cells}
}

// Child is a member of [Children].
type Child struct{ Name, Code string }

// Children are the departments below a department, by name, then code.
var Children = newList(List[Child]{
	AnyList: AnyList{Table: "departments", Family: "c", Owner: &Departments.AnyObject, Count: "childCount", Cursor: 's'},
	decode: func(_ *Memory, _, qualifier string, _ []byte) (Child, error) {
		name, code, _ := strings.Cut(qualifier, separator)
		if err := CheckDepartmentName(name); err != nil {
			return Child{}, err
		}
		return Child{name, code}, CheckCode(code)
	},
	encode: func(c Child) (string, []byte) { return c.Name + separator + c.Code, nil },
})

// CheckDepartmentName accepts 1–180 bytes of UTF-8 without ASCII control characters.
func CheckDepartmentName(s string) error {
	if len(s) < 1 || len(s) > MaxDepartmentName {
		return fmt.Errorf("%w: a department's name has 1 to %d bytes, not %d", ErrName, MaxDepartmentName, len(s))
	}
	if !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return fmt.Errorf("%w: a department's name is UTF-8 without control characters", ErrName)
	}
	return nil
}

// DepartmentRoles are the roles that a department defines, ascending.
var DepartmentRoles = nameList(
	AnyList{Table: "departments", Family: "r", Owner: &Departments.AnyObject, Count: "roleCount", Cursor: 'e'}, CheckCode)

// Parents are the parents of departments.
var Parents = reference(Reference{Attribute: "parent", Rooted: true}, Departments, Children,
	func(d *Department) *string { return d.ParentCode },
	func(d *Department) Child { return Child{*d.Name, d.Code} },
	func(c Child) string { return c.Code })
