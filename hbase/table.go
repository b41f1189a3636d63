package hbase

import (
	"fmt"
	"time"
)

// Table defines a table.
type Table struct {
	Name     string
	Families []FamilySchema
	// Splits are region start keys, ascending.
	Splits []string
}

// FamilySchema defines a column family. A zero Versions is 1.
type FamilySchema struct {
	Name     string
	Versions int
	// TTL is in whole seconds. 0 means forever.
	TTL time.Duration
}

// TimeToPurgeDeletes is the minimum time that an engine keeps a delete marker, to mask late puts.
const TimeToPurgeDeletes = time.Hour

// Validate may return [ErrInvalid].
func (t Table) Validate() error {
	if !isWord(t.Name) || len(t.Families) == 0 {
		return fmt.Errorf("%w: a table needs a name of letters, digits, '_' and '-', and a family; got %q with %d families",
			ErrInvalid, t.Name, len(t.Families))
	}
	for i, f := range t.Families {
		if !isWord(f.Name) || f.Versions < 0 || f.TTL < 0 || f.TTL%time.Second != 0 {
			return fmt.Errorf("%w: table %s: family %q is malformed", ErrInvalid, t.Name, f.Name)
		}
		for _, other := range t.Families[:i] {
			if other.Name == f.Name {
				return fmt.Errorf("%w: table %s names family %s twice", ErrInvalid, t.Name, f.Name)
			}
		}
	}
	for i, key := range t.Splits {
		if key == "" || i > 0 && key <= t.Splits[i-1] {
			return fmt.Errorf("%w: table %s: the splits must ascend", ErrInvalid, t.Name)
		}
	}
	return nil
}
