package writers

import (
	"twibase/hbase/tables"
)

// job has something done in the background, for which nobody waits, by whichever gateway. It comes behind the stages whose work it
// reads, in a stage that is done after the acknowledgement.
type job struct{ tables.Job }

func (e job) String() string { return "job " + string(e.Kind) }

// write puts the job into the store.
func (e job) write(label string) write {
	return write{label + e.String(), tables.Jobs.Put(e.Job)}
}
