package tables_test

import (
	"errors"
	"testing"

	"twibase/hbase"
	"twibase/hbase/tables"
)

func TestEverythingIsReadAsItWasWritten(t *testing.T) {
	for _, c := range codecs() {
		t.Run(c.name, func(t *testing.T) {
			if again, err := c.again(c.bytes); err != nil || again != c.bytes {
				t.Errorf("%q was read as %q, error %v", c.bytes, again, err)
			}
		})
	}
}

// Damage is either seen, and blamed on the one whose it is, or it made other good bytes.
func TestDamageIsSeenOrMakesOtherGoodBytes(t *testing.T) {
	for _, c := range codecs() {
		t.Run(c.name+": every truncation", func(t *testing.T) {
			for n := range len(c.bytes) {
				checkDamage(t, c, c.bytes[:n])
			}
		})
		t.Run(c.name+": every flipped bit", func(t *testing.T) {
			for i := range 8 * len(c.bytes) {
				b := []byte(c.bytes)
				b[i/8] ^= 1 << (i % 8)
				checkDamage(t, c, string(b))
			}
		})
		t.Run(c.name+": a byte too many", func(t *testing.T) {
			for _, extra := range []string{"\x00", "a", "7", "\xff"} {
				checkDamage(t, c, c.bytes+extra)
				checkDamage(t, c, extra+c.bytes)
			}
		})
	}
}

func checkDamage(t *testing.T, c codec, damaged string) {
	t.Helper()
	again, err := c.again(damaged)
	switch {
	case err == nil && again != damaged:
		t.Errorf("%q was read, but is written as %q", damaged, again)
	case err != nil && !errors.Is(err, c.blame):
		t.Errorf("%q: error %v, want one that is %q", damaged, err, c.blame)
	case err != nil && errors.Is(c.blame, tables.ErrName) && errors.Is(err, hbase.ErrCorrupt):
		t.Errorf("%q: error %v blames the store for what a client sent", damaged, err)
	}
}
