package writers

import (
	"twibase/hbase/tables"
)

// errand has something done in the background, for which nobody waits, by whichever gateway. It comes behind the stages whose work it
// reads, in a stage that is done after the acknowledgement.
type errand struct{ tables.Errand }

func (e errand) String() string { return "errand " + string(e.Kind) }

// write puts the errand into the store.
func (e errand) write(label string) write {
	return write{label + e.String(), tables.Errands.Put(e.Errand)}
}
