package loadtest

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// Goroutines counts goroutines by the function that they began with, and has the stacks of those. Equal functions begin equal work, so what there is
// more of than before, when both times there was nothing to do, has leaked.
type Goroutines map[string]Begun

// Begun are the goroutines that began with one function.
type Begun struct {
	Number int
	Stacks string // as the runtime's profile has them: a number and the frames of each
}

// Goroutines returns those of a gateway with a Monitor.
func (g *Gateway) Goroutines() (Goroutines, error) {
	response, err := http.Get(g.Monitor + "/goroutines")
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	profile, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("/goroutines: %s", response.Status)
	}
	return grouped(string(profile)), err
}

// grouped reads a profile: blocks of a line with a number, and a line for each frame, the last of which is where the goroutine began.
func grouped(profile string) Goroutines {
	all := Goroutines{}
	for _, block := range strings.Split(profile, "\n\n") {
		lines := strings.Split(strings.TrimSpace(block), "\n")
		if strings.HasPrefix(lines[0], "goroutine profile:") {
			lines = lines[1:]
		}
		if len(lines) < 2 {
			continue
		}
		count, _, _ := strings.Cut(lines[0], " ")
		n, err := strconv.Atoi(count)
		frame := strings.Fields(lines[len(lines)-1]) // # address function+offset place
		if err != nil || len(frame) < 3 {
			continue
		}
		function, _, _ := strings.Cut(frame[2], "+")
		begun := all[function]
		all[function] = Begun{begun.Number + n, begun.Stacks + strings.Join(lines, "\n") + "\n\n"}
	}
	return all
}

// More tells of which functions there are more goroutines than there were before, and what these do; it is empty if there are none.
func (now Goroutines) More(before Goroutines) string {
	var text strings.Builder
	for function, begun := range now {
		if was := before[function].Number; begun.Number > was {
			fmt.Fprintf(&text, "%d goroutines of %s have become %d:\n%s", was, function, begun.Number, begun.Stacks)
		}
	}
	return text.String()
}
