package live

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"time"
	"unique"

	"twibase/hbase/tables"
)

// observation says when a member of a row was found. There is one for each recent
// twit of each row, so it is small: the rows share the keys.
type observation struct {
	key unique.Handle[tables.TwitKey]
	at  int64 // the time of the twit, in milliseconds
	// found is when the poll started that found it, 0 if it was not new: see member.
	// missing is when the last poll before that started that read the row, 0 if none did.
	found, missing elapsed
}

// observations are the members of a row that were found, the oldest first.
type observations []observation

// search returns the index where the observation of a twit is, or would be.
func (o observations) search(key tables.TwitKey, at time.Time) (i int, known bool) {
	return slices.BinarySearchFunc(o, at.UnixMilli(), func(e observation, at int64) int {
		if e.at != at {
			return cmp.Compare(e.at, at)
		}
		k := e.key.Value()
		return cmp.Or(strings.Compare(key.Position, k.Position), strings.Compare(key.Author, k.Author))
	})
}

// of returns the observation of a twit.
func (o observations) of(key tables.TwitKey) (found observation, known bool) {
	at, _, err := key.Parts()
	if err != nil {
		return observation{}, false
	}
	i, known := o.search(key, at)
	if known {
		found = o[i]
	}
	return found, known
}

// add adds a member, and reports whether it was not known.
func (o *observations) add(m member, found, missing elapsed) bool {
	i, known := o.search(m.TwitKey, m.at)
	if known {
		return false
	}
	if m.old {
		found = 0
	}
	*o = slices.Insert(*o, i, observation{unique.Make(m.TwitKey), m.at.UnixMilli(), found, missing})
	return true
}

// forget removes the observations of twits that are not later than a time.
func (o *observations) forget(at time.Time) {
	until := at.UnixMilli()
	if n := sort.Search(len(*o), func(i int) bool { return (*o)[i].at > until }); n < len(*o) {
		*o = (*o)[n:]
	} else {
		*o = nil
	}
}
