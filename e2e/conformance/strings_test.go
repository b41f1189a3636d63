package conformance

import (
	"fmt"
	"strings"
	"unicode/utf16"
)

var simpleEscapes = map[rune]string{
	'"': `\"`, '\\': `\\`, '\n': `\n`, '\r': `\r`, '\t': `\t`, '\b': `\b`, '\f': `\f`, '/': `\/`,
}

func (g *generator) quote(content string) string {
	if g.chance(4) {
		if block, ok := g.block(content); ok {
			return block
		}
	}
	var text strings.Builder
	text.WriteByte('"')
	escaped := g.chance(3)
	for _, r := range content {
		simple, known := simpleEscapes[r]
		switch {
		case known && (r != '/' && r != '\t' || escaped):
			text.WriteString(simple)
		case r < 0x20 && r != '\t', escaped && g.chance(3):
			text.WriteString(g.escape(r))
		default:
			text.WriteRune(r)
		}
	}
	text.WriteByte('"')
	return text.String()
}

func (g *generator) escape(r rune) string {
	format := oneOf(g, `\u{%x}`, `\u{%06X}`, `\u{%X}`)
	switch {
	case g.chance(2) && r <= 0xffff:
		format = oneOf(g, `\u%04x`, `\u%04X`)
	case g.chance(2) && r > 0xffff:
		high, low := utf16.EncodeRune(r)
		return fmt.Sprintf(`\u%04X\u%04x`, high, low)
	}
	return fmt.Sprintf(format, r)
}

func (g *generator) block(content string) (string, bool) {
	lines := strings.Split(content, "\n")
	blank := func(line string) bool { return strings.Trim(line, " \t") == "" }
	if content != "" && (blank(lines[0]) || blank(lines[len(lines)-1])) ||
		strings.ContainsFunc(content, func(r rune) bool { return r < 0x20 && r != '\n' && r != '\t' }) {
		return "", false
	}
	text := strings.ReplaceAll(content, `"""`, `\"""`)
	if strings.HasPrefix(lines[0], " ") || strings.HasPrefix(lines[0], "\t") || g.chance(2) {
		indent := oneOf(g, "", " ", "    ", "\t")
		text = "\n" + indent + strings.ReplaceAll(text, "\n", "\n"+indent) + "\n" + oneOf(g, "", " ", "\t\t")
		if indent == "" && strings.HasPrefix(lines[0], " ") {
			return "", false
		}
	}
	if strings.HasSuffix(text, `"`) || strings.HasSuffix(text, `\`) {
		text += "\n"
	}
	return `"""` + text + `"""`, true
}
