package usage

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// Report is the usage of the last hours: see docs/OBSERVABILITY.md.
type Report struct {
	Since      time.Time   `json:"since"`
	Operations []Operation `json:"operations"`
	Fields     []Field     `json:"fields"`
}

// Operation counts the requests of a client for an operation.
type Operation struct {
	Operation string `json:"operation"`
	Type      string `json:"type"`
	Client
	Requests int64 `json:"requests"`
	Errors   int64 `json:"errors"`
	Rows     int64 `json:"rows"`
}

// Field counts the requests that selected a field.
type Field struct {
	Field      string           `json:"field"`
	Deprecated string           `json:"deprecated,omitempty"`
	Requests   int64            `json:"requests"`
	LastSeen   *time.Time       `json:"lastSeen"`
	LastClient *Client          `json:"lastClient"`
	Clients    []ClientRequests `json:"clients"`
}

// ClientRequests counts a client's requests.
type ClientRequests struct {
	Client
	Requests int64 `json:"requests"`
}

// Report covers the current hour, and the hours-1 hours before it.
func (u *Usage) Report(hours int, now time.Time) *Report {
	u.mu.Lock()
	defer u.mu.Unlock()
	r := &Report{
		Since:      now.Truncate(time.Hour).Add(time.Duration(1-hours) * time.Hour).UTC(),
		Operations: []Operation{},
		Fields:     make([]Field, len(u.fields)),
	}
	operations := map[operation]*counts{}
	clients := make([]map[Client]int64, len(u.fields))
	for i := range u.hours {
		if h := &u.hours[i]; !h.start.Before(r.Since) {
			h.addTo(operations, clients)
		}
	}
	for op, c := range operations {
		r.Operations = append(r.Operations, Operation{op.name, op.kind, op.Client, c.requests, c.errors, c.rows})
	}
	slices.SortFunc(r.Operations, func(a, b Operation) int {
		return cmp.Or(cmp.Compare(b.Requests, a.Requests), cmp.Compare(a.Operation, b.Operation), a.compare(b.Client))
	})
	for i, field := range u.fields {
		r.Fields[i] = u.last[i].field(clients[i])
		r.Fields[i].Field, r.Fields[i].Deprecated = field.Name, field.Deprecated
	}
	return r
}

func (h *hour) addTo(operations map[operation]*counts, clients []map[Client]int64) {
	for op, c := range h.operations {
		sum := operations[op]
		if sum == nil {
			sum = new(counts)
			operations[op] = sum
		}
		sum.requests, sum.errors, sum.rows = sum.requests+c.requests, sum.errors+c.errors, sum.rows+c.rows
	}
	for client, fields := range h.fields {
		for i, n := range fields.requests {
			if n > 0 {
				if clients[i] == nil {
					clients[i] = map[Client]int64{}
				}
				clients[i][client] += int64(n)
			}
		}
	}
}

func (s lastRequest) field(clients map[Client]int64) Field {
	f := Field{Clients: []ClientRequests{}}
	if s.by != nil {
		at := time.Unix(0, s.at).UTC()
		f.LastSeen, f.LastClient = &at, s.by
	}
	for client, n := range clients {
		f.Requests += n
		f.Clients = append(f.Clients, ClientRequests{client, n})
	}
	slices.SortFunc(f.Clients, func(a, b ClientRequests) int {
		return cmp.Or(cmp.Compare(b.Requests, a.Requests), a.compare(b.Client))
	})
	return f
}

func (c Client) compare(other Client) int {
	return cmp.Or(cmp.Compare(c.Name, other.Name), cmp.Compare(c.Version, other.Version))
}

// ServeHTTP returns as JSON a [Report] of the last hours (the parameter hours, by default 24), or
// only the [Field] that the parameter field names.
func (u *Usage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	query, hours := r.URL.Query(), Hours
	if text := query.Get("hours"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > Hours {
			http.Error(w, fmt.Sprintf("hours must be a number from 1 to %d", Hours), http.StatusBadRequest)
			return
		}
		hours = n
	}
	report := u.Report(hours, time.Now())
	var response any = report
	if name := query.Get("field"); name != "" {
		i := slices.IndexFunc(report.Fields, func(f Field) bool { return f.Field == name })
		if i < 0 {
			message := fmt.Sprintf("the schema has no field %q: write Type.field, such as User.age", name)
			http.Error(w, message, http.StatusNotFound)
			return
		}
		response = report.Fields[i]
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	_ = out.Encode(response) // the client is gone
}
