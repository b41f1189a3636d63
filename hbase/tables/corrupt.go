package tables

import (
	"fmt"

	"twibase/hbase"
)

// corrupt says that stored bytes are not what they should be, if err is not nil.
func corrupt(err error, what string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %q: %w", hbase.ErrCorrupt, what, err)
}
