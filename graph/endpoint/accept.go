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

const (
	mediaJSON    = "application/json"
	mediaGraphQL = "application/graphql-response+json"
)

type accept struct {
	// media is mediaJSON or mediaGraphQL, as the client prefers; empty if both have q=0.
	media       string
	events      bool // the client accepts server-sent events
	eventsFirst bool // the client prefers them
}

func (a accept) contentType() string { return cmp.Or(a.media, mediaJSON) + "; charset=utf-8" }

func (a accept) none() bool { return a.media == "" && !a.events }

type offer struct {
	media string
	q     float64
}

func offers(r *http.Request) (all []offer) {
	for header := range strings.SplitSeq(strings.Join(r.Header.Values("Accept"), ","), ",") {
		if media, parameters, _ := mime.ParseMediaType(header); media != "" {
			q, err := strconv.ParseFloat(cmp.Or(parameters["q"], "1"), 64)
			if err != nil || !(q <= 1) {
				q = 1
			}
			all = append(all, offer{media, q})
		}
	}
	wildcards := func(o offer) int { return strings.Count(o.media, "*") }
	slices.SortStableFunc(all, func(l, m offer) int {
		return cmp.Or(cmp.Compare(m.q, l.q), cmp.Compare(wildcards(l), wildcards(m)))
	})
	return all
}

func accepted(r *http.Request) (a accept) {
	all := offers(r)
	// A wildcard, or an Accept that matches nothing, stands for unnamed[0]: the first of our media
	// types that Accept does not name.
	unnamed := slices.DeleteFunc([]string{mediaJSON, mediaGraphQL}, func(media string) bool {
		return slices.ContainsFunc(all, func(o offer) bool { return o.media == media })
	})
	unnamed = append(unnamed, "")
	for _, o := range all {
		switch {
		case !(o.q > 0):
		case o.media == sse.MediaType && !a.events:
			a.events, a.eventsFirst = true, a.media == ""
		case o.media == mediaJSON || o.media == mediaGraphQL:
			a.media = cmp.Or(a.media, o.media)
		case o.media == "*/*" || o.media == "application/*":
			a.media = cmp.Or(a.media, unnamed[0])
		}
	}
	a.media = cmp.Or(a.media, unnamed[0])
	return a
}
