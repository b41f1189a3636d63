package gateway

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"syscall"
)

// Stacks ends the gateway at once and returns what its goroutines were doing: of those that did the same their number and one stack, the most
// frequent first.
func (g *Gateway) Stacks() (string, error) {
	g.asked.Store(true)
	if err := g.cmd.Process.Signal(syscall.SIGQUIT); err != nil { // by which Go's runtime prints them
		return "", err
	}
	stacks := <-g.stacks
	_ = g.cmd.Wait() // it did not end well, as it should
	return grouped(string(stacks)), nil
}

// grouped counts equal stacks of a runtime's report. Equal are those that wait for the same in the same lines, whatever their arguments.
func grouped(report string) string {
	counts := map[string]int{}
	for _, block := range strings.Split(report, "\n\n") {
		header, frames, found := strings.Cut(strings.TrimSpace(block), "\n")
		if !found || !strings.HasPrefix(header, "goroutine ") {
			continue
		}
		_, state, _ := strings.Cut(header, "[")
		state, _, _ = strings.Cut(strings.TrimSuffix(state, "]:"), ",") // for how long differs
		counts[state+"\n"+strings.Join(places(frames), "\n")]++
	}
	stacks := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), strings.Compare(a, b))
	})
	var text strings.Builder
	for _, stack := range stacks {
		fmt.Fprintf(&text, "%d × %s\n\n", counts[stack], stack)
	}
	return text.String()
}

// places are the functions and lines of frames, which are two lines each.
func places(frames string) (places []string) {
	lines := strings.Split(frames, "\n")
	for i := 0; i+1 < len(lines); i += 2 {
		function, _, _ := strings.Cut(lines[i], " in goroutine ") // who created it
		if at := strings.LastIndexByte(function, '('); at > 0 && strings.HasSuffix(function, ")") {
			function = function[:at] // its arguments
		}
		line, _, _ := strings.Cut(strings.TrimSpace(lines[i+1]), " ")
		places = append(places, "\t"+function+" "+line[strings.LastIndexByte(line, '/')+1:])
	}
	return places
}
