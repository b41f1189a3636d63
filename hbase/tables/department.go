package tables

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"twibase/hbase"
)

// MaxDepth is how many levels the tree of departments has at most.
const MaxDepth = 64

// Department is a node of the tree. Fields other than the code are nil if they were not read or are absent; absent counts
// are zero.
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
	AnyObject: AnyObject{Noun: NounDepartment, Name: "department", Table: "departments", Reusable: true, check: CheckCode},

	key: func(d *Department) *string { return &d.Code }, keyColumn: "id",
	attributes: []attribute[Department]{
		text("name", func(d *Department) **string { return &d.Name }).in("name", checked(CheckDepartmentName)).writable(OfDepartmentName),
		version(func(d *Department) **string { return &d.Version }),
		text("parent", func(d *Department) **string { return &d.ParentCode }, "ancestors").in("parent", checked(CheckCode)).writable(OfCode),
		count("childCount", func(d *Department) **int { return &d.ChildCount }),
		count("roleCount", func(d *Department) **int { return &d.RoleCount }),
	},
}

// Tree is the row on which all changes of the tree of departments are decided, one after the other: that of [Root].
var Tree = tree{}

type tree struct{}

// treeDepth is a column of the tree's row, besides [CommitColumn] and [CompleteColumn].
const treeDepth = "depth"

// Get reads how deep the tree is, and which change of it is known to be whole.
func (tree) Get() hbase.Get {
	return Departments.Get(Root, Attributes+":childCount "+Attributes+":"+treeDepth+" "+Attributes+":"+CompleteColumn)
}

// Depth returns how many levels the tree has at most, given the cells of Get. It is not known of a tree that was imported before this was kept.
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

// DepthCell says how many levels the tree has at most.
func (tree) DepthCell(levels int, timestamp int64) hbase.Cell {
	return textCell(treeDepth, strconv.Itoa(levels), timestamp)
}

// Put writes cells of the tree's row.
func (tree) Put(cells ...hbase.Cell) hbase.Put {
	return hbase.Put{Table: Departments.Table, Row: RowKey(Root), Cells: cells}
}

// Child is a member of a list of sub-departments, which is in the order of their names, then codes.
type Child struct{ Name, Code string }

// Children are the departments directly below the owner, or below [Root].
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
var DepartmentRoles = nameList(
	AnyList{Table: "departments", Family: "r", Owner: &Departments.AnyObject, Count: "roleCount", Cursor: 'e'}, CheckCode)
