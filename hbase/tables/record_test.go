package tables

import (
	"testing"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
	"pgregory.net/rapid"
)

func TestARecordHoldsWhatTheStandardLibraryTakesForUTF8(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(rapid.StringN(0, 100, -1).Draw(t, "text"))
		for range rapid.IntRange(0, 2).Draw(t, "damages") {
			if len(text) > 0 {
				text[rapid.IntRange(0, len(text)-1).Draw(t, "at")] = rapid.Byte().Draw(t, "damage")
			}
		}
		err := record(nil).add(1, string(text)).each(func(_ protowire.Number, s string) bool { return s == string(text) })
		if valid := utf8.Valid(text); valid != (err == nil) {
			t.Fatalf("%q is valid: %t, and read with the error %v", text, valid, err)
		}
	})
}
