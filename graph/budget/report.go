package budget

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"twibase/graph/explain"
)

// Failed counts operations that are rejected or too costly.
func (r *Report) Failed() (n int) {
	for i := range r.Operations {
		if r.Operations[i].Failed() {
			n++
		}
	}
	return n
}

// Summary is one line.
func (r *Report) Summary() string {
	all := counted(len(r.Operations), "operation")
	switch n := r.Failed(); {
	case n == 1:
		return "1 of " + all + " is rejected, or costs more than allowed"
	case n > 1:
		return group(int64(n)) + " of " + all + " are rejected, or cost more than allowed"
	case r.compares:
		return all + ": none costs more than allowed"
	}
	return all + ": valid and within limits"
}

// JSON writes the operations, which can be the baseline of a later check.
func (r *Report) JSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(r)
}

// ReadBaseline reads what [Report.JSON] wrote. Without an error, the result is not nil.
func ReadBaseline(text []byte) ([]Operation, error) {
	var report struct{ Operations []Operation }
	if err := json.Unmarshal(text, &report); err != nil {
		return nil, err
	}
	if report.Operations == nil {
		return nil, errors.New("there is no list of operations")
	}
	return report.Operations, nil
}

// reasons returns why an operation failed. quote formats text of the document.
func (e *Entry) reasons(quote func(string) string) (lines []string) {
	for _, why := range e.Rejected {
		lines = append(lines, quote(why))
	}
	for _, x := range e.Exceeds {
		text := fmt.Sprintf("%s ≤ %s", x.heading(), group(x.Bound))
		was := int64(-1)
		if e.was != nil {
			was = x.of(e.was.Totals)
			text += ", was ≤ " + group(was)
		}
		if was != x.Most {
			text += ", allowed ≤ " + group(x.Most)
		}
		lines = append(lines, text)
	}
	if len(e.Exceeds) == 0 {
		return lines
	}
	causes, more := e.causes()
	for _, c := range causes {
		path := c.path
		if e.Name != "" {
			path = e.Name + "." + path
		}
		lines = append(lines, quote(path)+": "+c.text)
	}
	if more > 0 {
		lines = append(lines, "and "+counted(more, "further field"))
	}
	return lines
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return group(int64(n)) + " " + what + "s"
}

// group puts commas between thousands.
func group(n int64) string {
	if n == explain.Most {
		return "countless"
	}
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
