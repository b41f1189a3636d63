package cluster

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/tsuna/gohbase/pb"

	"twibase/hbase"
)

// DefaultNamespace is the namespace of tables without a prefix.
const DefaultNamespace = "default"

// WithNamespace sets the namespace of all tables, which callers omit from names.
// [Store.CreateTable] creates a missing one.
func WithNamespace(namespace string) Option {
	return func(s *Store) {
		if s.prefix = namespace + ":"; namespace == DefaultNamespace {
			s.prefix = ""
		}
	}
}

var namespaceName = regexp.MustCompile(`^[A-Za-z0-9_]+$`)

// CheckNamespace returns the error of [Open] for an invalid namespace.
func CheckNamespace(name string) error {
	if !namespaceName.MatchString(name) || name == "hbase" {
		return fmt.Errorf("%w: namespace %q: a name has letters, digits and '_', and hbase is the namespace of HBase's own tables",
			hbase.ErrInvalid, name)
	}
	return nil
}

// FullName returns a table's name in the cluster. Exported methods call it. Unexported functions
// take full names.
func (s *Store) FullName(table string) string {
	if s.prefix == "" || strings.Contains(table, ":") {
		return table
	}
	return s.prefix + table
}

func (s *Store) shortName(full string) (table string, ok bool) {
	if s.prefix == "" {
		return full, !strings.Contains(full, ":")
	}
	return strings.CutPrefix(full, s.prefix)
}

func (s *Store) fullGets(gets []hbase.Get) []hbase.Get {
	if s.prefix == "" {
		return gets
	}
	full := make([]hbase.Get, len(gets))
	for i, get := range gets {
		get.Table = s.FullName(get.Table)
		full[i] = get
	}
	return full
}

func (s *Store) fullMutations(mutations []hbase.Mutation) []hbase.Mutation {
	if s.prefix == "" {
		return mutations
	}
	full := make([]hbase.Mutation, len(mutations))
	for i, m := range mutations {
		switch m := m.(type) {
		case hbase.Put:
			m.Table = s.FullName(m.Table)
			full[i] = m
		case hbase.Delete:
			m.Table = s.FullName(m.Table)
			full[i] = m
		}
	}
	return full
}

func protoName(full string) *pb.TableName {
	namespace, table, found := strings.Cut(full, ":")
	if !found {
		namespace, table = DefaultNamespace, full
	}
	return &pb.TableName{Namespace: []byte(namespace), Qualifier: []byte(table)}
}
