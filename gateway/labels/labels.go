// Package labels bounds the values of metric labels that clients choose.
package labels

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// Other is the label of values without a series.
const Other = "other"

const (
	rankInterval  = time.Hour
	unusedTimeout = 24 * time.Hour
)

// Values bounds the time series of a label: each of the first max values has its own, and all
// others share [Other].
//
// A value loses its series after a day without use. Once an hour, a value without a series replaces
// the least used one if it was more than twice as frequent, so that invented values of a client
// seldom replace others.
//
// Values is not safe for concurrent use. The caller holds a lock from Of until it has used the
// label, because the use would recreate a series that was dropped in between.
type Values struct {
	max     int
	dropped func(value string)

	own    map[string]*use
	others map[string]int // calls since the last ranking, of at most max values
	free   int
	next   time.Time // the next ranking
}

type use struct {
	calls    int // since the last ranking
	rate     int // calls per ranking, but at least half of the previous rate
	last     time.Time
	reserved bool
}

// New returns Values with at most max series in addition to reserved ones. dropped receives each
// value that loses its series, and must not call the Values.
func New(max int, dropped func(value string)) *Values {
	return &Values{max: max, dropped: dropped, own: map[string]*use{}, others: map[string]int{}, free: max}
}

// Of returns the value or [Other]. Reserved values, which the caller bounds, always have a series.
func (v *Values) Of(value string, reserved bool, now time.Time) string {
	if value == Other {
		return Other
	}
	if !now.Before(v.next) {
		v.rank(now)
	}
	u := v.own[value]
	if u == nil {
		if !reserved && v.free == 0 {
			if _, known := v.others[value]; known || len(v.others) < v.max {
				v.others[value]++
			}
			return Other
		}
		u = v.add(value, reserved)
	}
	if reserved && !u.reserved {
		u.reserved = true
		v.free++
	}
	u.calls, u.last = u.calls+1, now
	return value
}

func (v *Values) add(value string, reserved bool) *use {
	if !reserved {
		v.free--
	}
	u := &use{reserved: reserved}
	v.own[value] = u
	return u
}

func (v *Values) drop(value string) {
	if !v.own[value].reserved {
		v.free++
	}
	delete(v.own, value)
	v.dropped(value)
}

func (v *Values) rank(now time.Time) {
	v.next = now.Add(rankInterval)
	for value, u := range v.own {
		if u.rate, u.calls = max(u.rate/2, u.calls), 0; now.Sub(u.last) >= unusedTimeout {
			v.drop(value)
		}
	}
	waiting := slices.SortedFunc(maps.Keys(v.others), func(a, b string) int {
		return cmp.Or(cmp.Compare(v.others[b], v.others[a]), cmp.Compare(a, b))
	})
	for _, value := range waiting {
		if v.free == 0 {
			least := v.least()
			if least == "" || v.others[value] <= 2*v.own[least].rate {
				break
			}
			v.drop(least)
		}
		u := v.add(value, false)
		u.rate, u.last = v.others[value], now
	}
	clear(v.others)
}

func (v *Values) least() (least string) {
	for value, u := range v.own {
		if !u.reserved && (least == "" || u.rate < v.own[least].rate) {
			least = value
		}
	}
	return least
}

const maxText = 64 // bytes

// Text returns a client's text, unknown if it is empty, or [Other] if it is longer than maxText or
// not printable ASCII.
func Text(text, unknown string) string {
	if text == "" {
		return unknown
	}
	printable := func(r rune) bool { return r >= ' ' && r <= '~' }
	if len(text) > maxText || slices.ContainsFunc([]rune(text), func(r rune) bool { return !printable(r) }) {
		return Other
	}
	return text
}
