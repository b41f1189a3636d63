package plan

import (
	"runtime"
	"strings"
	"sync"
	"testing"
)

func goroutine() string {
	var head [64]byte
	name, _, _ := strings.Cut(string(head[:runtime.Stack(head[:], false)]), " [")
	return name
}

func TestEachFieldOfALevelHasItsGoroutine(t *testing.T) {
	for query, want := range map[string]int{
		`{people{friends{friends{best{name}}}}}`:                        1,
		`{people{friends{tags name first}}}`:                            1,
		`{people{a:friends{name} b:friends{name} best{name}}}`:          3,
		`{people{a:friends{best{name}} b:friends{name}} me{name} echo}`: 4,
	} {
		var mu sync.Mutex
		ran := map[string]bool{}
		fx := people()
		for name, resolve := range fx.resolvers {
			fx.resolvers[name] = func(parents []*testObject, args map[string]any) ([]any, error) {
				mu.Lock()
				defer mu.Unlock()
				ran[goroutine()] = true
				return resolve(parents, args)
			}
		}
		execute(newExecutor(fx.build()), query, "", nil)
		if len(ran) != want || !ran[goroutine()] {
			t.Errorf("%s ran in goroutines %v, want %d including the caller's", query, ran, want)
		}
	}
}
