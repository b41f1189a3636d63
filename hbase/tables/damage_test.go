package tables_test

import (
	"errors"
	"testing"

	"twibase/hbase"
	"twibase/hbase/tables"
)

func TestCodecsRoundTrip(t *testing.T) {
	for _, c := range codecs() {
		t.Run(c.name, func(t *testing.T) {
			if got, err := c.rewrite(c.bytes); err != nil || got != c.bytes {
				t.Errorf("got %q, error %v, want %q", got, err, c.bytes)
			}
		})
	}
}

func TestCodecsDetectDamage(t *testing.T) {
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
		t.Run(c.name+": an extra byte", func(t *testing.T) {
			for _, extra := range []string{"\x00", "a", "7", "\xff"} {
				checkDamage(t, c, c.bytes+extra)
				checkDamage(t, c, extra+c.bytes)
			}
		})
	}
}

func checkDamage(t *testing.T, c codec, damaged string) {
	t.Helper()
	got, err := c.rewrite(damaged)
	switch {
	case err == nil && got != damaged:
		t.Errorf("%q is decoded, and encoded as %q", damaged, got)
	case err != nil && !errors.Is(err, c.damage):
		t.Errorf("%q: got error %v, want %v", damaged, err, c.damage)
	case err != nil && errors.Is(c.damage, tables.ErrName) && errors.Is(err, hbase.ErrCorrupt):
		t.Errorf("%q: got error %v, want no ErrCorrupt for input of a client", damaged, err)
	}
}
