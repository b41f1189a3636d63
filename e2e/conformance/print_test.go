package conformance

import (
	"math/rand/v2"
	"strings"
)

type printer struct{ tokens []string }

func (p *printer) add(tokens ...string) { p.tokens = append(p.tokens, tokens...) }

func (d *document) tokens() []string {
	p := &printer{}
	if d.extra != "" {
		p.add(d.extra)
	}
	for _, o := range d.operations {
		p.operation(o)
	}
	for _, f := range d.fragments {
		if f.description != "" {
			p.add(f.description)
		}
		p.add("fragment", f.name)
		if f.variables != "" {
			p.add(f.variables)
		}
		p.add("on", f.on)
		p.directives(f.directives)
		p.set(f.set)
	}
	return p.tokens
}

func (p *printer) operation(o *operation) {
	if o.description != "" {
		p.add(o.description)
	}
	if o.kind != "query" || o.name != "" || len(o.variables) > 0 || len(o.directives) > 0 || o.description != "" {
		p.add(string(o.kind))
	}
	if o.name != "" {
		p.add(o.name)
	}
	if len(o.variables) > 0 {
		p.add("(")
		for _, v := range o.variables {
			p.add("$", v.name, ":", v.typ)
			if v.initial != nil {
				p.add("=")
				p.value(v.initial)
			}
			p.directives(v.directives)
		}
		p.add(")")
	}
	p.directives(o.directives)
	if o.text != "" {
		p.add(o.text)
		return
	}
	p.set(o.set)
}

func (p *printer) set(set []*selection) {
	p.add("{")
	for _, s := range set {
		p.selection(s)
	}
	p.add("}")
}

func (p *printer) selection(s *selection) {
	switch {
	case s.inline:
		p.add("...")
		if s.on != "" {
			p.add("on", s.on)
		}
	case s.spread != "":
		p.add("...", s.spread)
	default:
		if s.alias != "" {
			p.add(s.alias, ":")
		}
		p.add(s.field)
		p.arguments(s.arguments)
	}
	p.directives(s.directives)
	if len(s.set) > 0 || s.emptySet {
		p.set(s.set)
	}
}

func (p *printer) arguments(arguments []*argument) {
	if len(arguments) == 0 {
		return
	}
	p.add("(")
	for _, a := range arguments {
		p.add(a.name, ":")
		p.value(a.value)
	}
	p.add(")")
}

func (p *printer) directives(directives []*directive) {
	for _, d := range directives {
		p.add("@", d.name)
		p.arguments(d.arguments)
	}
}

func (p *printer) value(v *value) {
	switch {
	case v.list:
		p.add("[")
		for _, item := range v.items {
			p.value(item)
		}
		p.add("]")
	case v.object:
		p.add("{")
		for _, f := range v.fields {
			p.add(f.name, ":")
			p.value(f.value)
		}
		p.add("}")
	default:
		p.add(v.text)
	}
}

var ignored = []string{" ", "\n", ",", "\t", "\r\n", " # a comment \"\"\" {\n", ",,", "\n\n", "#\n", " ,\r", "\ufeff"}

func join(r *rand.Rand, tokens []string) string {
	plain := r.IntN(3) > 0
	var text strings.Builder
	for i, token := range tokens {
		separated := i > 0 && merges(tokens[i-1], token)
		switch {
		case separated && plain:
			text.WriteByte(' ')
		case separated, !plain && r.IntN(3) == 0:
			text.WriteString(ignored[r.IntN(len(ignored))])
		}
		text.WriteString(token)
	}
	return text.String()
}

func merges(a, b string) bool {
	last, first := a[len(a)-1], b[0]
	return wordy(last) && (wordy(first) || first == '-' || first == '.') || last == '"' && first == '"'
}

func wordy(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
