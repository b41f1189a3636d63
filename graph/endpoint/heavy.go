package endpoint

import (
	"math"
	"sync/atomic"

	"twibase/hbase/fair"
)

const rowsPerPlace = 2000

// heavy bounds the running operations that are predicted to read more than rowsPerPlace rows: see
// docs/FAULTS.md#overload.
type heavy struct {
	places *fair.Semaphore // nil admits all
	size   int64
}

func newHeavy(slots int) *heavy {
	if slots == 0 {
		return &heavy{}
	}
	size := max(slots/2, 1)
	return &heavy{places: fair.New(int64(size), placeReserve, queuedPerSlot*size), size: int64(size)}
}

func (h *heavy) weigh(rows int64) int64 {
	if h.places == nil || rows <= rowsPerPlace {
		return 0
	}
	return min((rows+rowsPerPlace-1)/rowsPerPlace, h.size)
}

// prediction predicts the rows that an operation reads, from its bound and the fraction of the
// bound that it read earlier: the bound assumes full pages. It is safe for concurrent use.
type prediction struct {
	bound    int64
	fraction *atomic.Uint64 // bits of a float64; 0 if unknown. It belongs to the parsed document
}

// minFraction is the least predicted fraction. It bounds how many operations are admitted after one
// that read nothing, such as for an unknown user: with other variables they may read everything.
const minFraction = 1. / 16

func (p prediction) rows() int64 {
	if fraction := math.Float64frombits(p.fraction.Load()); fraction > 0 {
		return int64(math.Ceil(float64(p.bound) * fraction))
	}
	return p.bound
}

// decay is the weight of the previous fraction against a smaller one. A larger one replaces it
// immediately, so that cheap operations do not hide an expensive one.
const decay = 0.9

func (p prediction) learn(rows int64) {
	if p.bound <= rowsPerPlace {
		return // with such variables the operation is never heavy
	}
	latest := min(float64(rows)/float64(p.bound), 1)
	before := math.Float64frombits(p.fraction.Load())
	p.fraction.Store(math.Float64bits(max(latest, decay*before+(1-decay)*latest, minFraction)))
}
