package auth

import (
	"encoding/json"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"time"
)

const maxDevRequest = 4 << 10

// ActsAs reports whether a request may get the token of any user: with Dev, from this machine,
// without a proxy. Its Host must be local, too, against DNS rebinding.
func (t *Tokens) ActsAs(r *http.Request) bool {
	return t.Signs() && t.Dev && isLoopback(r.RemoteAddr) && isLoopback(r.Host) &&
		r.Header.Get("X-Forwarded-For") == "" && r.Header.Get("Forwarded") == ""
}

func isLoopback(hostPort string) bool {
	host, _, err := net.SplitHostPort(hostPort)
	if err != nil {
		host = hostPort
	}
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.Unmap().IsLoopback()
}

// DevHandler serves tokens of any user if [Tokens.ActsAs] permits. Pages of other origins get none:
// JSON needs a preflight, which is not answered.
func (t *Tokens) DevHandler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !t.ActsAs(r) {
			http.NotFound(w, r)
			return
		}
		if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/json" {
			http.Error(w, "send the request as Content-Type: application/json", http.StatusUnsupportedMediaType)
			return
		}
		var request struct {
			Username string `json:"username"`
		}
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxDevRequest)).Decode(&request); err != nil {
			http.Error(w, `send {"username": "…"}`, http.StatusBadRequest)
			return
		}
		token, expiresAt, err := t.Sign(Viewer{Username: request.Username})
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-store")
		_ = json.NewEncoder(w).Encode(struct {
			Token     string    `json:"token"`
			ExpiresAt time.Time `json:"expiresAt"`
		}{token, expiresAt})
	})
}
