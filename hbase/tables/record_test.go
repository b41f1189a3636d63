package tables

import (
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestRecordStringsAreUTF8(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(rapid.StringN(0, 100, -1).Draw(t, "text"))
		for range rapid.IntRange(0, 2).Draw(t, "damages") {
			if len(text) > 0 {
				text[rapid.IntRange(0, len(text)-1).Draw(t, "at")] = rapid.Byte().Draw(t, "damage")
			}
		}
		r := record(nil).add(1, string(text)).strings()
		_, s, more := r.next()
		if valid := utf8.Valid(text); valid != (r.err == nil) || valid != more || valid && s != string(text) {
			t.Fatalf("%q, valid %t: got %q, error %v", text, valid, s, r.err)
		}
	})
}
