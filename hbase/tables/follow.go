package tables

import (
	"fmt"
	"strconv"
	"time"

	"twibase/hbase"
)

// Unknown is the time of follows that were imported without one. It sorts behind every known time, so that those come by username.
var Unknown = time.UnixMilli(0).UTC()

// Follow is a member of a list of followers or followed: who, and since when.
type Follow struct {
	Username string
	At       time.Time // Unknown if nobody knows
}

// Followers are those who follow the owner, newest first.
var Followers = followList("users", "f", "followerCount")

// Following are those whom the owner follows, newest first.
var Following = followList("following", "l", "followingCount")

func followList(table, family, count string) *List[Follow] {
	decode := func(_ *Memory, _, qualifier string, _ []byte) (Follow, error) {
		at, username, err := revert(qualifier)
		if err == nil {
			err = CheckUsername(username)
		}
		return Follow{username, at}, err
	}
	return &List[Follow]{
		Table: table, Family: family, CountTable: "users", Count: count,
		position: func(qualifier string) error { _, err := decode(nil, "", qualifier, nil); return err },
		decode:   decode,
		encode:   func(f Follow) (string, []byte) { return string(appendFollow(nil, f)), nil },
	}
}

// appendFollow appends the position of a follow.
func appendFollow(dst []byte, f Follow) []byte {
	return append(appendInverted(dst, f.At), f.Username...)
}

// Edge is the truth about two ids of which the first may be related to the second: a narrow row. Its state is a value, never an
// absence, since a delete marker would mask what a slower clock writes later.
type Edge struct{ Table string }

// The edges.
var (
	// Follows says whether one user follows another.
	Follows = &Edge{"follows"}
	// Assignments says whether a user has a role.
	Assignments = &Edge{"assignments"}
)

// The columns of an edge.
const (
	edgeState = "state" // "1": related, "0": no longer
	edgeAt    = "at"    // milliseconds: since when
)

// Related reads whether a is related to b.
func (e *Edge) Related(a, b string) hbase.Get {
	return hbase.Get{Table: e.Table, Row: edgeKey(a, b), Columns: Attributes + ":" + edgeState}
}

// Get reads the edge with its time.
func (e *Edge) Get(a, b string) hbase.Get {
	return hbase.Get{Table: e.Table, Row: edgeKey(a, b), Columns: Attributes}
}

// Of is the range of all edges that a has, or ever had.
func (e *Edge) Of(a string) hbase.Scan { return edgesOf(e.Table, a) }

// Ends reads the key of an edge's row back.
func (e *Edge) Ends(row string) (a, b string, err error) { return edgeOf(row) }

// Decode returns whether the cells of an edge say that it is there, and since when, if that was read.
func (e *Edge) Decode(cells []hbase.Cell) (related bool, at time.Time, err error) {
	var state string
	others := 0
	for _, c := range cells {
		switch value := string(c.Value); c.Qualifier {
		case Decision:
			others++
		case edgeState:
			state = value
		case edgeAt:
			milli, err := parseCount(value)
			if at = time.UnixMilli(int64(milli)).UTC(); err != nil || !ValidTime(at) {
				return false, time.Time{}, corrupt(ErrName, value)
			}
		}
	}
	if state == "0" || state == "1" || len(cells) == others {
		return state == "1", at, nil
	}
	return false, time.Time{}, fmt.Errorf("%w: the state of an edge is %q, neither 0 nor 1", hbase.ErrCorrupt, state)
}

// Put writes the state of an edge, and since when.
func (e *Edge) Put(a, b string, related bool, at time.Time, timestamp int64) hbase.Put {
	state := "0"
	if related {
		state = "1"
	}
	return hbase.Put{Table: e.Table, Row: edgeKey(a, b), Cells: []hbase.Cell{
		{Family: Attributes, Qualifier: edgeAt, Timestamp: timestamp, Value: strconv.AppendInt(nil, at.UnixMilli(), 10)},
		{Family: Attributes, Qualifier: edgeState, Timestamp: timestamp, Value: []byte(state)},
	}}
}
