package budget

import (
	"fmt"
	"io"
	"strings"
)

// maxComment is the size at which a report stops listing operations. A comment on GitHub has at
// most 65,536 characters.
const maxComment = 60_000

// Markdown writes a comment for a pull request: see docs/DOCUMENTS.md.
func (r *Report) Markdown(w io.Writer) error {
	var listed []*Entry
	failed := 0
	for i := range r.Operations {
		switch e := &r.Operations[i]; {
		case e.Failed():
			listed = append(listed[:failed:failed], append([]*Entry{e}, listed[failed:]...)...)
			failed++
		case !r.compares || e.was == nil || e.was.Totals != e.Totals:
			listed = append(listed, e)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "### Cost of GraphQL operations\n\n**%s.**\n", r.Summary())
	for _, e := range listed[:failed] {
		b.WriteString(e.markdown())
		if b.Len() > maxComment/2 {
			break
		}
	}
	left := r.markdownTable(&b, listed)
	var rest []string
	for _, counts := range []struct {
		n    int
		what string
	}{{left, "not listed"}, {len(r.Operations) - len(listed), "unchanged"}, {len(r.Removed), "removed"}} {
		if counts.n > 0 {
			rest = append(rest, counted(counts.n, "operation")+" "+counts.what)
		}
	}
	if len(rest) > 0 {
		b.WriteString("\n" + strings.Join(rest, ", ") + ".\n")
	}
	b.WriteString("\nUpper bounds for one execution. Variables without a fixed value count with their most expensive value.\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func (e *Entry) markdown() string {
	text := fmt.Sprintf("\n- %s of %s %s\n", code(e.label()), code(e.File), e.verdict())
	for _, line := range e.reasons(code) {
		text += "  - " + line + "\n"
	}
	return text
}

func (r *Report) markdownTable(b *strings.Builder, operations []*Entry) (left int) {
	if len(operations) == 0 {
		return 0
	}
	fmt.Fprintf(b, "\n| operation | %s |\n|---|%s\n", strings.Join(headings(), " | "), strings.Repeat("--:|", shown))
	for i, e := range operations {
		if b.Len() > maxComment {
			return len(operations) - i
		}
		fmt.Fprintf(b, "| %s | %s |\n", code(e.label()), strings.Join(r.cells(e), " | "))
	}
	return 0
}

// code returns Markdown that fits into one line and one cell of a table.
func code(text string) string {
	return "`" + strings.NewReplacer("`", "'", "\n", " ", "\r", " ", "|", `\|`).Replace(text) + "`"
}
