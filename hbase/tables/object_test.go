package tables_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"twibase/hbase"
	"twibase/hbase/tables"
)

func TestColumnsAreThoseOfTheFieldsAskedFor(t *testing.T) {
	users, departments := tables.Users.Columns, tables.Departments.Columns
	for _, test := range []struct {
		reason  string
		columns func([]string) string
		fields  []string
		want    string
	}{
		{"nothing asked for reads nothing", users, nil, ""},
		{"the key says its own fields", users, []string{"id", "username"}, ""},
		{"an edge is no column", users, []string{"followers"}, ""},
		{"the name alone", users, []string{"name"}, "i:name"},
		{"existence comes along with any other", users, []string{"email"}, "i:name i:email"},
		{"columns have their own order, and come once", users, []string{"age", "name", "email", "age"}, "i:name i:email i:age"},
		{"a version is a column of its own", users, []string{"version"}, "i:name i:version"},
		{"a count has two sides", users, []string{"twitCount"}, "i:name i:twitCount i:publicTwitCount"},
		{"ancestors start with the parent", departments, []string{"ancestors"}, "i:name i:parent"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			if got := test.columns(test.fields); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

func TestEveryColumnOfAnObjectIsRead(t *testing.T) {
	if _, err := hbase.ParseColumns(tables.Users.All()); err != nil {
		t.Error(err)
	}
	want := "i:name i:version i:parent i:childCount i:roleCount"
	if got := tables.Departments.All(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestObjects(t *testing.T) {
	name := hbase.Cell{Family: "i", Qualifier: "name", Value: []byte("开发部")}
	cell := func(qualifier, value string) hbase.Cell {
		return hbase.Cell{Family: "i", Qualifier: qualifier, Value: []byte(value)}
	}
	for _, test := range []struct {
		reason  string
		cells   []hbase.Cell
		want    *tables.Department
		corrupt bool
	}{
		{"no cells are no object", nil, nil, false},
		{"without a name it does not exist", []hbase.Cell{cell("childCount", "3")}, nil, false},
		{"cells of other families are no attributes", []hbase.Cell{{Family: "c", Qualifier: "name", Value: []byte("x")}}, nil, false},
		{"a column of a newer version is passed over", []hbase.Cell{cell("budget", "7"), name},
			&tables.Department{Code: "dev", Name: ptr("开发部"), Version: ptr("0"), ChildCount: ptr(0), RoleCount: ptr(0)}, false},
		{"what it does not have is nil, but a count is zero", []hbase.Cell{cell("childCount", "3"), name},
			&tables.Department{Code: "dev", Name: ptr("开发部"), Version: ptr("0"), ChildCount: ptr(3), RoleCount: ptr(0)}, false},
		{"what was deleted does not exist, whatever else is said of it", []hbase.Cell{cell("parent", "ceo"), cell("name", tables.Gone)}, nil, false},
		{"what was taken away is absent", []hbase.Cell{tables.Without("parent", 2), name},
			&tables.Department{Code: "dev", Name: ptr("开发部"), Version: ptr("0"), ChildCount: ptr(0), RoleCount: ptr(0)}, false},
		{"an empty text", []hbase.Cell{cell("name", "")}, nil, true},
		{"text that is not UTF-8", []hbase.Cell{cell("name", "\xff")}, nil, true},
		{"a number with a blank", []hbase.Cell{cell("childCount", " 1"), name}, nil, true},
		{"a number with a zero in front", []hbase.Cell{cell("childCount", "01"), name}, nil, true},
		{"a number too great", []hbase.Cell{cell("childCount", "99999999999999999999"), name}, nil, true},
	} {
		t.Run(test.reason, func(t *testing.T) {
			got, err := tables.Departments.Decode("dev", test.cells)
			if errors.Is(err, hbase.ErrCorrupt) != test.corrupt || (err != nil) != test.corrupt {
				t.Fatalf("error %v, want corrupt to be %v", err, test.corrupt)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAPutHasTheTimestampAndOnlyWhatIsKnown(t *testing.T) {
	want := hbase.Put{Table: "departments", Row: tables.RowKey("dev"), Cells: []hbase.Cell{
		{Family: "i", Qualifier: "name", Timestamp: 7, Value: []byte("开发部")},
		{Family: "i", Qualifier: "childCount", Timestamp: 7, Value: []byte("0")},
	}}
	got := tables.Departments.Put("dev", &tables.Department{Code: "dev", Name: ptr("开发部"), ChildCount: ptr(0), ParentCode: ptr("")}, 7)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestANewObjectHasItsKeyAlone(t *testing.T) {
	if diff := cmp.Diff(&tables.User{Username: "小红"}, tables.Users.New("小红")[0]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
