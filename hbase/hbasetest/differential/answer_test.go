package differential

import (
	"errors"
	"fmt"
	"strings"

	"twibase/hbase"
)

const (
	past   = 1_000
	future = 4_102_444_800_000 // the year 2100
)

var named = []error{
	hbase.ErrInvalid, hbase.ErrCellTooLarge, hbase.ErrTableNotFound, hbase.ErrTableExists, hbase.ErrFamilyNotFound,
}

// Engines must agree on the text, or on the error's name.
func answer(text string, err error) string {
	if err == nil {
		return text
	}
	for _, kind := range named {
		if errors.Is(err, kind) {
			return kind.Error()
		}
	}
	return "unexpected: " + err.Error()
}

func cells(list []hbase.Cell) string {
	var text strings.Builder
	for _, c := range list {
		at := fmt.Sprint(c.Timestamp)
		if c.Timestamp > past && c.Timestamp < future {
			at = "present"
		}
		fmt.Fprintf(&text, "\n  %s:%q @%s = %q", c.Family, c.Qualifier, at, c.Value)
	}
	return text.String() + "\n"
}
