package oracle

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// Opaque maps each [Ref] to the gateway's id or cursor, which it learns from responses. It rejects
// contradictions.
type Opaque struct {
	names map[Ref]string
	ids   map[string]Ref
	// Seen has the refs of each kind, in the order of their first occurrence.
	Seen map[string][]Ref
}

func NewOpaque() *Opaque {
	return &Opaque{map[Ref]string{}, map[string]Ref{}, map[string][]Ref{}}
}

func (o *Opaque) Name(ref Ref) (string, bool) {
	name, ok := o.names[ref]
	return name, ok
}

func (o *Opaque) Variables(variables map[string]any) map[string]any {
	named := make(map[string]any, len(variables))
	for key, value := range variables {
		named[key] = o.named(value)
	}
	return named
}

func (o *Opaque) named(value any) any {
	switch value := value.(type) {
	case Ref:
		name, ok := o.names[value]
		if !ok {
			panic(fmt.Sprintf("oracle: no earlier response had %v", value))
		}
		return name
	case []any:
		list := make([]any, len(value))
		for i := range value {
			list[i] = o.named(value[i])
		}
		return list
	}
	return value
}

// Ids and objects must correspond one to one. Different lists may share cursors.
func (o *Opaque) learn(ref Ref, name string) error {
	if known, ok := o.names[ref]; ok {
		if known != name {
			return fmt.Errorf("%v was %q, and is now %q", ref, known, name)
		}
		return nil
	}
	if ref.Kind == "id" {
		if other, ok := o.ids[name]; ok {
			return fmt.Errorf("the id %q is that of %v and of %v", name, other, ref)
		}
		o.ids[name] = ref
	}
	o.names[ref] = name
	o.Seen[ref.Kind] = append(o.Seen[ref.Kind], ref)
	return nil
}

func (o *Opaque) Compare(want, got any) error { return o.compare("data", want, got) }

func (o *Opaque) compare(path string, want, got any) error {
	differ := func() error { return fmt.Errorf("%s: got %v, want %v", path, show(got), show(want)) }
	switch want := want.(type) {
	case Object:
		got, ok := got.(Object)
		if !ok || len(got) != len(want) {
			return differ()
		}
		for i := range want {
			if got[i].Key != want[i].Key {
				return fmt.Errorf("%s: got member %s, want %s", path, got[i].Key, want[i].Key)
			}
			if err := o.compare(path+"."+want[i].Key, want[i].Value, got[i].Value); err != nil {
				return err
			}
		}
		return nil
	case List:
		got, ok := got.(List)
		if !ok {
			return differ()
		}
		for i := range min(len(want), len(got)) {
			if err := o.compare(path+"."+strconv.Itoa(i), want[i], got[i]); err != nil {
				return err
			}
		}
		if len(got) != len(want) {
			return fmt.Errorf("%s: got %d elements, want %d", path, len(got), len(want))
		}
		return nil
	case Ref:
		name, ok := got.(string)
		if !ok {
			return differ()
		}
		if err := o.learn(want, name); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		return nil
	case Either:
		if _, ok := got.(bool); !ok {
			return differ()
		}
		return nil
	case int:
		if number, ok := got.(json.Number); !ok || number.String() != strconv.Itoa(want) {
			return differ()
		}
		return nil
	}
	if got != want {
		return differ()
	}
	return nil
}

func show(value any) string {
	text := fmt.Sprintf("%#v", value)
	if len(text) > 300 {
		text = text[:300] + "…"
	}
	return text
}
