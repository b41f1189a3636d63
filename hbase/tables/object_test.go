package tables_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"twibase/hbase"
	"twibase/hbase/tables"
)

func TestColumnsAreThoseOfTheSelectedFields(t *testing.T) {
	users, departments := tables.Users.Columns, tables.Departments.Columns
	for _, test := range []struct {
		reason  string
		columns func([]string) string
		fields  []string
		want    string
	}{
		{"no fields", users, nil, ""},
		{"fields of the key", users, []string{"id", "username"}, ""},
		{"a field without a column", users, []string{"followers"}, ""},
		{"the name", users, []string{"name"}, "i:name"},
		{"existence with any other", users, []string{"email"}, "i:name i:email"},
		{"columns in their order, each once", users, []string{"age", "name", "email", "age"}, "i:name i:email i:age"},
		{"the version", users, []string{"version"}, "i:name i:version"},
		{"a count with a public count", users, []string{"twitCount"}, "i:name i:twitCount i:publicTwitCount"},
		{"ancestors need the parent", departments, []string{"ancestors"}, "i:name i:parent"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			if got := test.columns(test.fields); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestObjectWithoutItsNameIsMissing(t *testing.T) {
	name := hbase.Cell{Family: "i", Qualifier: "name", Value: []byte("开发部")}
	cell := func(qualifier, value string) hbase.Cell {
		return hbase.Cell{Family: "i", Qualifier: qualifier, Value: []byte(value)}
	}
	dev := func(childCount int) *tables.Department {
		return &tables.Department{
			Code: "dev", Name: ptr("开发部"), Version: ptr("0"), ChildCount: ptr(childCount), RoleCount: ptr(0)}
	}
	for _, test := range []struct {
		reason  string
		cells   []hbase.Cell
		want    *tables.Department
		corrupt bool
	}{
		{"no cells", nil, nil, false},
		{"no name", []hbase.Cell{cell("childCount", "3")}, nil, false},
		{"cells of another family", []hbase.Cell{{Family: "c", Qualifier: "name", Value: []byte("x")}}, nil, false},
		{"a column of a later version", []hbase.Cell{cell("budget", "7"), name}, dev(0), false},
		{"absent attributes are nil, absent counts zero", []hbase.Cell{cell("childCount", "3"), name}, dev(3), false},
		{"a deleted object", []hbase.Cell{cell("parent", "ceo"), cell("name", tables.DeletedValue)}, nil, false},
		{"a removed attribute", []hbase.Cell{tables.Without("parent", 2), name}, dev(0), false},
		{"an empty text", []hbase.Cell{cell("name", "")}, nil, true},
		{"text that is not UTF-8", []hbase.Cell{cell("name", "\xff")}, nil, true},
		{"a number with a blank", []hbase.Cell{cell("childCount", " 1"), name}, nil, true},
		{"a number with a leading zero", []hbase.Cell{cell("childCount", "01"), name}, nil, true},
		{"a number out of range", []hbase.Cell{cell("childCount", "99999999999999999999"), name}, nil, true},
	} {
		t.Run(test.reason, func(t *testing.T) {
			got, err := tables.Departments.Decode("dev", test.cells)
			if errors.Is(err, hbase.ErrCorrupt) != test.corrupt || (err != nil) != test.corrupt {
				t.Fatalf("got error %v, want corrupt %v", err, test.corrupt)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestPutWritesPresentAttributes(t *testing.T) {
	want := hbase.Put{Table: "departments", Row: tables.RowKey("dev"), Cells: []hbase.Cell{
		{Family: "i", Qualifier: "name", Timestamp: 7, Value: []byte("开发部")},
		{Family: "i", Qualifier: "childCount", Timestamp: 7, Value: []byte("0")},
	}}
	d := &tables.Department{Code: "dev", Name: ptr("开发部"), ChildCount: ptr(0), ParentCode: ptr("")}
	got := tables.Departments.Put("dev", d, 7)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNewObjectHasOnlyItsKey(t *testing.T) {
	if diff := cmp.Diff(&tables.User{Username: "小红"}, tables.Users.New("小红")[0]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
