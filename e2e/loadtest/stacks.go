package loadtest

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// Goroutines are grouped by their first function. A group that has grown after work has leaked.
type Goroutines map[string]Group

type Group struct {
	Number int
	Stacks string
}

func (g *Gateway) Goroutines() (Goroutines, error) {
	response, err := http.Get(g.MetricsURL + "/goroutines")
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	profile, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("/goroutines: %s", response.Status)
	}
	all := groupByStart(string(profile))
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("/goroutines has no stacks: %.200s", profile)
	}
	return all, err
}

func groupByStart(profile string) Goroutines {
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
		all[function] = Group{begun.Number + n, begun.Stacks + strings.Join(lines, "\n") + "\n\n"}
	}
	return all
}

func (now Goroutines) More(before Goroutines) string {
	var text strings.Builder
	for function, begun := range now {
		if was := before[function].Number; begun.Number > was {
			fmt.Fprintf(&text, "goroutines of %s: %d before, %d now:\n%s", function, was, begun.Number, begun.Stacks)
		}
	}
	return text.String()
}
