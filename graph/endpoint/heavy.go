package endpoint

import (
	"math"
	"sync/atomic"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"twibase/graph/recent"
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

// predictor learns which fraction of its bound each operation of a cached document reads, because
// the bound assumes full pages. It is safe for concurrent use.
type predictor struct {
	fractions *recent.Cache[*ast.OperationDefinition, *atomic.Uint64] // bits of a float64
}

func newPredictor() predictor {
	return predictor{recent.New[*ast.OperationDefinition, *atomic.Uint64](cachedDocuments, cachedBytes)}
}

// minFraction is the least predicted fraction. It bounds how many operations are admitted after one
// that read nothing, such as for an unknown user: with other variables they may read everything.
const minFraction = 1. / 16

func (p predictor) predict(operation *ast.OperationDefinition, bound int64) int64 {
	if fraction, known := p.fractions.Get(operation); known {
		return int64(math.Ceil(float64(bound) * max(math.Float64frombits(fraction.Load()), minFraction)))
	}
	return bound
}

// decay is the weight of the previous fraction against a smaller one. A larger one replaces it
// immediately, so that cheap operations do not hide an expensive one.
const decay = 0.9

// learn updates the fraction of bound that an operation reads. It keeps the operation, and so its
// parsed document.
func (p predictor) learn(op *graphql.OperationContext, bound, rows int64) {
	// With a small bound the operation is never heavy. A long document is not cached, so each
	// request has a new operation.
	if bound <= rowsPerPlace || len(op.RawQuery) > cachedLength {
		return
	}
	latest := min(float64(rows)/float64(bound), 1)
	fraction, known := p.fractions.Get(op.Operation)
	if !known {
		fraction = new(atomic.Uint64)
		fraction.Store(math.Float64bits(latest))
		p.fractions.Add(op.Operation, fraction, len(op.RawQuery))
		return
	}
	before := math.Float64frombits(fraction.Load())
	fraction.Store(math.Float64bits(max(latest, decay*before+(1-decay)*latest)))
}
