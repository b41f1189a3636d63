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

// accept is the response formats that a client accepts.
type accept struct {
	// media is the preferred one of the two media types, the older one if the client names neither;
	// empty if it refuses both.
	media string
	// events is whether the client accepts server-sent events, eventsFirst whether it prefers them.
	events, eventsFirst bool
}

func (a accept) contentType() string { return cmp.Or(a.media, mediaJSON) + "; charset=utf-8" }

// none reports whether the client accepts no format.
func (a accept) none() bool { return a.media == "" && !a.events }

// accepted returns the formats that a client accepts. Of equally preferred ones it takes the first.
func accepted(r *http.Request) (a accept) {
	type offer struct {
		media string
		q     float64
	}
	var all []offer
	for header := range strings.SplitSeq(strings.Join(r.Header.Values("Accept"), ","), ",") {
		if media, parameters, _ := mime.ParseMediaType(header); media != "" {
			q, err := strconv.ParseFloat(cmp.Or(parameters["q"], "1"), 64)
			if err != nil || !(q <= 1) {
				q = 1
			}
			all = append(all, offer{media, q})
		}
	}
	wild := func(l offer) bool { return l.media == "*/*" || l.media == "application/*" }
	slices.SortStableFunc(all, func(l, m offer) int {
		if byQ := cmp.Compare(m.q, l.q); byQ != 0 || wild(l) == wild(m) {
			return byQ
		} else if wild(l) {
			return 1
		}
		return -1
	})
	// other returns a media type that the client does not name.
	other := func() string {
		for _, media := range []string{mediaJSON, mediaGraphQL} {
			if !slices.ContainsFunc(all, func(l offer) bool { return l.media == media }) {
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
