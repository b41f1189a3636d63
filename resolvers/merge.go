package resolvers

import (
	"maps"
	"slices"
	"strings"

	"twibase/hbase/tables"
	"twibase/loaders"
)

// merge returns a page of the union of several lists, from a page of each in the same range.
// Members at the same position are equal, and hidden only if all parts hide them.
//
// If a list has more members in the range than its part, the page ends at the part's last position
// at the latest, because the next members are unknown.
func merge(w loaders.Range, parts []candidates[tables.Twit]) candidates[tables.Twit] {
	order := strings.Compare
	if w.Backward {
		order = func(a, b string) int { return strings.Compare(b, a) }
	}
	members := map[string]*tables.Twit{}
	end, more := "", false
	for _, part := range parts {
		for i, position := range part.Positions {
			if members[position] == nil {
				members[position] = part.Members[i]
			}
		}
		if last, partial := lastRead(w, part); partial && (!more || order(last, end) < 0) {
			end, more = last, true
		}
	}
	positions := slices.SortedFunc(maps.Keys(members), order)
	if more {
		at, _ := slices.BinarySearchFunc(positions, end, order)
		positions = positions[:at+1]
	}
	if len(positions) > w.Limit {
		positions, more = positions[:w.Limit], true
	}
	merged := candidates[tables.Twit]{Positions: positions, HasPrevious: w.After != "", HasNext: more}
	if w.Backward {
		slices.Reverse(positions)
		merged.HasPrevious, merged.HasNext = more, w.Before != ""
	}
	for _, position := range positions {
		merged.Members = append(merged.Members, members[position])
	}
	return merged
}

// lastRead reports as partial whether the list has more members in the range.
func lastRead(w loaders.Range, part candidates[tables.Twit]) (position string, partial bool) {
	n := len(part.Positions)
	switch {
	case n == 0:
		return "", false
	case w.Backward:
		return part.Positions[0], part.HasPrevious
	default:
		return part.Positions[n-1], part.HasNext
	}
}
