package transfer

import (
	"fmt"
	"slices"
	"strings"
)

// form says which columns the files of a kind have.
type form struct {
	name               string
	required, optional []string
}

// forms are in the order in which files are imported: what others name comes first.
var forms = []form{
	{"users", []string{"username", "name"}, []string{"email", "age", "avatar_url", "created_at"}},
	{"departments", []string{"id", "name", "parent"}, nil},
	{"roles", []string{"id", "name", "department"}, nil},
	{"games", []string{"id", "name"}, nil},
	{"user_roles", []string{"username", "role"}, nil},
	{"follows", []string{"follower", "followee"}, []string{"followed_at"}},
	{"twits", []string{"id", "author", "posted_at", "content", "photo_urls"}, []string{"title", "visibility"}},
	{"comments", []string{"twit", "author", "posted_at", "content"}, nil},
	{"plays", []string{"username", "game", "day", "count"}, nil},
}

func formOf(name string) (*form, bool) {
	i := slices.IndexFunc(forms, func(f form) bool { return f.name == name })
	if i < 0 {
		return nil, false
	}
	return &forms[i], true
}

func formNames() string {
	names := make([]string, len(forms))
	for i, f := range forms {
		names[i] = f.name + ".csv"
	}
	return strings.Join(names, ", ")
}

// columns are all that such a file may have, in the order in which they are written.
func (f *form) columns() []string { return slices.Concat(f.required, f.optional) }

// check reports what is wrong with a header: the column, and why.
func (f *form) check(header []string) (column, reason string) {
	for i, column := range header {
		if slices.Contains(header[:i], column) {
			return column, "the header names it twice"
		}
		if !slices.Contains(f.columns(), column) {
			return column, fmt.Sprintf("%s has no such column; it has %s", f.name, f)
		}
	}
	for _, column := range f.required {
		if !slices.Contains(header, column) {
			return column, fmt.Sprintf("the header lacks it; %s has %s", f.name, f)
		}
	}
	return "", ""
}

// String lists the columns, the optional ones in brackets.
func (f *form) String() string {
	s := strings.Join(f.required, ",")
	if len(f.optional) > 0 {
		s += "[," + strings.Join(f.optional, ",") + "]"
	}
	return s
}
