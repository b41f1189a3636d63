package embedded

import (
	"bytes"
	"cmp"
	"math"
	"testing"

	"pgregory.net/rapid"
)

type entry struct {
	table             uint32
	row               string
	family, qualifier string
	timestamp         int64
	kind              byte
}

func (e entry) key() []byte {
	key := append(append(appendRow(nil, e.table, e.row), e.family...), 0)
	return append(appendTime(appendEscaped(key, e.qualifier), e.timestamp), e.kind)
}

func (e entry) compare(o entry) int {
	return cmp.Or(cmp.Compare(e.table, o.table), cmp.Compare(e.row, o.row), cmp.Compare(e.family, o.family),
		cmp.Compare(e.qualifier, o.qualifier), cmp.Compare(o.timestamp, e.timestamp), cmp.Compare(e.kind, o.kind))
}

func drawEntry(t *rapid.T, name string) entry {
	bytes := rapid.SliceOfN(rapid.SampledFrom([]byte{0, 1, 2, 'a', 0xfe, 0xff}), 0, 4)
	some := rapid.Map(bytes, func(b []byte) string { return string(b) })
	return entry{
		table:     rapid.SampledFrom([]uint32{1, 2, 255, 256, 257, 1 << 16, 1<<16 + 1}).Draw(t, name+" table"),
		row:       "r" + some.Draw(t, name+" row"),
		family:    rapid.SampledFrom([]string{"f", "fa", "i"}).Draw(t, name+" family"),
		qualifier: some.Draw(t, name+" qualifier"),
		timestamp: rapid.SampledFrom([]int64{0, 1, 255, 256, math.MaxInt64 - 1}).Draw(t, name+" timestamp"),
		kind:      rapid.SampledFrom([]byte{kindAllVersions, kindPut}).Draw(t, name+" kind"),
	}
}

func TestKeysSortAsCellsDo(t *testing.T) {
	t.Run("keys sort as cells do", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			a, b := drawEntry(t, "a"), drawEntry(t, "b")
			if got, want := bytes.Compare(a.key(), b.key()), a.compare(b); got != want {
				t.Errorf("%+v and %+v: %d, want %d", a, b, got, want)
			}
		})
	})
	t.Run("a family's markers sort between the previous family and its columns", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			e := drawEntry(t, "e")
			row := appendRow(nil, e.table, e.row)
			marker := appendTime(append(append(append([]byte(nil), row...), e.family...), 0, 0, 0), e.timestamp)
			if bytes.Compare(marker, e.key()) >= 0 {
				t.Errorf("the marker sorts after %+v", e)
			}
			before := e
			before.family = "a"
			if bytes.Compare(before.key(), marker) >= 0 {
				t.Errorf("the marker sorts before %+v", before)
			}
		})
	})
	t.Run("the prefix of a key decodes to its row", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			e := drawEntry(t, "e")
			key := e.key()
			prefix := key[:split(key)]
			if !bytes.Equal(prefix, appendRow(nil, e.table, e.row)) || split(prefix) != len(prefix) {
				t.Fatalf("the prefix of %q is %q", key, prefix)
			}
			if row, err := decodeRow(new(arena), prefix); row != e.row || err != nil {
				t.Errorf("%q: %q, %v", prefix, row, err)
			}
			if next := prefixEnd(bytes.Clone(prefix)); bytes.Compare(key, next) >= 0 {
				t.Errorf("%q is not before %q", key, next)
			}
		})
	})
	// Pebble also calls split for the shortened keys of its indexes.
	t.Run("prefixes of any bytes sort as the bytes", func(t *testing.T) {
		any := rapid.SliceOfN(rapid.SampledFrom([]byte{0, 1, 'a', 0xff}), 0, 9)
		rapid.Check(t, func(t *rapid.T) {
			a, b := any.Draw(t, "a"), any.Draw(t, "b")
			if bytes.Compare(a, b) <= 0 && bytes.Compare(a[:split(a)], b[:split(b)]) > 0 {
				t.Errorf("%q and %q have the prefixes %q and %q", a, b, a[:split(a)], b[:split(b)])
			}
		})
	})
	t.Run("a cut row key is an error or another row", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			e := drawEntry(t, "e")
			prefix := appendRow(nil, e.table, e.row)
			prefix = prefix[:rapid.IntRange(0, len(prefix)-1).Draw(t, "cut")]
			if row, err := decodeRow(new(arena), prefix); err == nil && row == e.row {
				t.Errorf("%q is still %q", prefix, row)
			}
		})
	})
}
