package endpoint

import (
	"cmp"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"twibase/graph/endpoint/sse"
)

// The media types of answers.
const (
	mediaJSON    = "application/json"
	mediaGraphQL = "application/graphql-response+json"
)

// accept is what a client takes for an answer.
type accept struct {
	// media is that of the media types which it likes best, else the older one, which every client takes; empty if it refuses both.
	media string
	// events says that it takes server-sent events, and eventsFirst that it likes them better than anything else of ours.
	events, eventsFirst bool
}

func (a accept) contentType() string { return cmp.Or(a.media, mediaJSON) + "; charset=utf-8" }

// none says that the client takes no answer at all.
func (a accept) none() bool { return a.media == "" && !a.events }

// accepted returns what a client takes: of what it likes as much, the first that it names.
func accepted(r *http.Request) (a accept) {
	type likes struct {
		media string
		q     float64
	}
	var all []likes
	for header := range strings.SplitSeq(strings.Join(r.Header.Values("Accept"), ","), ",") {
		if media, parameters, _ := mime.ParseMediaType(header); media != "" {
			q, err := strconv.ParseFloat(cmp.Or(parameters["q"], "1"), 64)
			if err != nil || !(q <= 1) {
				q = 1
			}
			all = append(all, likes{media, q})
		}
	}
	wild := func(l likes) bool { return l.media == "*/*" || l.media == "application/*" }
	slices.SortStableFunc(all, func(l, m likes) int {
		if byQ := cmp.Compare(m.q, l.q); byQ != 0 || wild(l) == wild(m) {
			return byQ
		} else if wild(l) {
			return 1
		}
		return -1
	})
	// other is what the client does not name.
	other := func() string {
		for _, media := range []string{mediaJSON, mediaGraphQL} {
			if !slices.ContainsFunc(all, func(l likes) bool { return l.media == media }) {
				return media
			}
		}
		return ""
	}
	for _, l := range all {
		switch {
		case !(l.q > 0) || a.media != "" && l.media != sse.MediaType:
		case l.media == sse.MediaType:
			a.events, a.eventsFirst = true, a.media == ""
		case l.media == mediaJSON || l.media == mediaGraphQL:
			a.media = l.media
		case wild(l):
			a.media = other()
		}
	}
	a.media = cmp.Or(a.media, other())
	return a
}
