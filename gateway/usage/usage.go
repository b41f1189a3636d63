// Package usage counts which clients use which operations and fields, for 24 hours, in memory.
package usage

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"twibase/gateway/labels"
	"twibase/graph/endpoint"
)

const (
	// Hours is the number of hours kept.
	Hours         = 24
	maxOperations = 2000 // pairs of operation and client in an hour
)

// Client is a client's name and version.
type Client struct {
	Name    string `json:"client"`
	Version string `json:"version"`
}

// Request is one request.
type Request struct {
	Client
	Operation, Type string
	Rows            int64
	Failed          bool
	Fields          []int
}

// Usage is safe for concurrent use.
type Usage struct {
	Deprecated *prometheus.CounterVec // the caller registers it

	fields []endpoint.Field

	mu    sync.Mutex
	hours [Hours]hour   // by Unix hour
	last  []lastRequest // by field
}

type hour struct {
	start      time.Time
	operations map[operation]*counts
	fields     map[Client]*clientFields
}

type clientFields struct {
	client   Client
	requests []uint32 // by field
}

type operation struct {
	Client
	name, kind string
}

type counts struct{ requests, errors, rows int64 }

type lastRequest struct {
	at int64   // Unix ns
	by *Client // may be nil
}

// New returns a Usage of a schema's fields.
func New(fields []endpoint.Field) *Usage {
	return &Usage{
		Deprecated: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "twibase_deprecated_field_requests_total",
			Help: "Requests that selected a deprecated field, by field and client.",
		}, []string{"field", "client", "client_version"}),
		fields: fields,
		last:   make([]lastRequest, len(fields)),
	}
}

func (u *Usage) Add(r Request, now time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	h := u.hour(now)
	c := h.counts(operation{r.Client, r.Operation, r.Type})
	c.requests++
	c.rows += r.Rows
	if r.Failed {
		c.errors++
	}
	if len(r.Fields) == 0 {
		return
	}
	fields := h.fields[r.Client]
	if fields == nil {
		fields = &clientFields{r.Client, make([]uint32, len(u.fields))}
		h.fields[r.Client] = fields
	}
	last := lastRequest{now.UnixNano(), &fields.client}
	for _, i := range r.Fields {
		fields.requests[i]++
		u.last[i] = last
		if u.fields[i].Deprecated != "" {
			u.Deprecated.WithLabelValues(u.fields[i].Name, r.Name, r.Version).Inc()
		}
	}
}

// hour returns the counts of the current hour, in place of those of 24 hours ago.
func (u *Usage) hour(now time.Time) *hour {
	start := now.Truncate(time.Hour)
	h := &u.hours[int(start.Unix()/3600)%Hours]
	if !h.start.Equal(start) {
		*h = hour{start: start, operations: map[operation]*counts{}, fields: map[Client]*clientFields{}}
	}
	return h
}

func (h *hour) counts(op operation) *counts {
	c := h.operations[op]
	if c == nil && len(h.operations) >= maxOperations {
		op = operation{Client{labels.Other, labels.Other}, labels.Other, labels.Other}
		c = h.operations[op]
	}
	if c == nil {
		c = new(counts)
		h.operations[op] = c
	}
	return c
}
