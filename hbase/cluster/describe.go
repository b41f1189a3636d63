package cluster

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tsuna/gohbase/pb"

	"twibase/hbase"
)

// Difference is an attribute or configuration value that differs from a column family's definition.
// For a missing family, Actual is empty.
type Difference struct {
	Family, Attribute string
	Actual, Expected  string
}

// Differences compares a table's families with their definition. It ignores regions and additional
// families. It returns [hbase.ErrTableNotFound] if the table does not exist.
func (s *Store) Differences(ctx context.Context, table hbase.Table) ([]Difference, error) {
	ctx, cancel, err := s.beginAdmin(ctx)
	if err != nil {
		return nil, err
	}
	defer cancel()
	table.Name = s.FullName(table.Name)
	actual, err := s.describe(ctx, table.Name)
	if err != nil {
		return nil, err
	}
	expected := attributesOf(newCreateTable(table).GetTableSchema())
	var all []Difference
	for _, f := range table.Families {
		for _, name := range slices.Sorted(maps.Keys(expected[f.Name])) {
			d := Difference{f.Name, name, actual[f.Name][name], expected[f.Name][name]}
			if !strings.EqualFold(d.Actual, d.Expected) {
				all = append(all, d)
			}
		}
	}
	return all, nil
}

// AlterCommand returns the HBase shell's command that removes the differences. table is the
// [Store.FullName]. Existing files change at their next compaction.
func AlterCommand(table string, differences []Difference) string {
	line := "alter '" + table + "'"
	for i, d := range differences {
		if i == 0 || d.Family != differences[i-1].Family {
			if i > 0 {
				line += "}"
			}
			line += fmt.Sprintf(", {NAME => '%s'", d.Family)
		}
		if d.Attribute == timeToPurgeDeletes {
			line += fmt.Sprintf(", CONFIGURATION => {'%s' => '%s'}", d.Attribute, d.Expected)
			continue
		}
		value := d.Expected
		if _, err := strconv.Atoi(value); err != nil {
			value = "'" + value + "'"
		}
		line += fmt.Sprintf(", %s => %s", d.Attribute, value)
	}
	return line + "}"
}

func (s *Store) describe(ctx context.Context, table string) (map[string]map[string]string, error) {
	request := &pb.GetTableDescriptorsRequest{TableNames: []*pb.TableName{protoName(table)}}
	var response pb.GetTableDescriptorsResponse
	if err := s.askMaster(ctx, "GetTableDescriptors", table, request, &response); err != nil {
		return nil, err
	}
	if len(response.GetTableSchema()) == 0 {
		return nil, fmt.Errorf("%w: %s", hbase.ErrTableNotFound, table)
	}
	return attributesOf(response.GetTableSchema()[0]), nil
}

func attributesOf(schema *pb.TableSchema) map[string]map[string]string {
	families := map[string]map[string]string{}
	for _, f := range schema.GetColumnFamilies() {
		attributes := map[string]string{timeToPurgeDeletes: "unset"}
		for _, a := range f.GetAttributes() {
			attributes[string(a.GetFirst())] = string(a.GetSecond())
		}
		for _, c := range f.GetConfiguration() {
			attributes[c.GetName()] = c.GetValue()
		}
		families[string(f.GetName())] = attributes
	}
	return families
}
