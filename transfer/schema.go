package transfer

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// name is the file name without .csv.
type schema struct {
	name               string
	required, optional []string
	imports            func(*importer, context.Context) error
	exports            func(ctx context.Context, store hbase.Store, row emit) error
}

// schemas are in the order of an import: objects before the rows that name them, and follows before
// twits, whose fan-out reads them.
var schemas = slices.Concat(
	[]schema{
		objectSchema(tables.Users), treeSchema(), objectSchema(tables.Roles), objectSchema(tables.Games),
	},
	relationSchemas(tables.PostedTwits, false),
	[]schema{
		{"twits", []string{"id", "author", "posted_at", "content", "photo_urls"}, []string{"title", "visibility"},
			(*importer).importTwits, exportTwits},
		{"comments", []string{"twit", "author", "posted_at", "content"}, nil, (*importer).importComments, exportComments},
	},
	relationSchemas(tables.PostedTwits, true),
	[]schema{{"plays", []string{"username", "game", "day", "count"}, nil, (*importer).importPlays, exportPlays}},
)

func schemaNames() string {
	names := make([]string, len(schemas))
	for i, f := range schemas {
		names[i] = f.name + ".csv"
	}
	return strings.Join(names, ", ")
}

func (f *schema) columns() []string { return slices.Concat(f.required, f.optional) }

func (f *schema) check(header []string) (column, reason string) {
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

// String puts optional columns in brackets.
func (f *schema) String() string {
	s := strings.Join(f.required, ",")
	if len(f.optional) > 0 {
		s += "[," + strings.Join(f.optional, ",") + "]"
	}
	return s
}
