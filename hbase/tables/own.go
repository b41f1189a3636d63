package tables

import "slices"

// Own returns the tables that have rows which belong to the object: its attributes, its lists, and its edges to others.
// These are the rows for which [IsOf] holds.
func (id ID) Own() []string { return own[id.Noun] }

var own = owned()

// owned returns the tables that objects of each noun have rows in.
func owned() map[Noun][]string {
	own := map[Noun][]string{}
	for _, s := range storage() {
		if s.owner != nil && !slices.Contains(own[s.owner.Noun], s.table) {
			own[s.owner.Noun] = append(own[s.owner.Noun], s.table)
		}
	}
	return own
}
