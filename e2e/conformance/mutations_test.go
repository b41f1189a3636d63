package conformance

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

type mutation struct {
	section, name string
	// tree returns false if it changes nothing.
	tree func(g *generator, d *document) bool
	text func(g *generator, tokens []string) string
	// harmless mutations may make only valid documents.
	harmless bool
}

func (m mutation) String() string { return m.section + " " + m.name }

func mutations() []mutation { return slices.Concat(breaks, shapes, spellings) }

func (g *generator) request(number uint64) (made string, r request) {
	if number%2 == 0 {
		d := g.valid()
		return "valid", d.request(join(g.Rand, d.tokens()))
	}
	all := mutations()
	m := all[number/2%uint64(len(all))]
	for range 20 {
		d := g.valid()
		if m.text != nil {
			return m.String(), d.request(m.text(g, d.tokens()))
		}
		if m.tree(g, d) {
			return m.String(), d.request(join(g.Rand, d.tokens()))
		}
	}
	d := g.valid()
	return "valid", d.request(join(g.Rand, d.tokens()))
}

func (d *document) request(text string) request {
	r := request{Query: text, OperationName: d.operationName}
	if len(d.variables) > 0 {
		var members []string
		for _, name := range slices.Sorted(maps.Keys(d.variables)) {
			key, _ := json.Marshal(name)
			members = append(members, fmt.Sprintf("%s:%s", key, d.variables[name]))
		}
		r.Variables = "{" + strings.Join(members, ",") + "}"
	}
	return r
}
