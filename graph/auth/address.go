package auth

import (
	"context"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

type addressKey struct{}

// AddressOf returns where a request comes from, as far as it counts for [Attempts]: an address, or of IPv6 the network of one customer. It
// is empty if nobody knows.
func AddressOf(ctx context.Context) string {
	address, _ := ctx.Value(addressKey{}).(string)
	return address
}

// Proxies are the networks of those who are trusted to say for whom they ask.
type Proxies []netip.Prefix

// Handler lets next know the address of the client. It is safe for concurrent use.
func (p Proxies) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), addressKey{}, p.client(r))))
	})
}

// client goes from proxy to proxy to the first who is not trusted: what that one says of others anybody can say.
func (p Proxies) client(r *http.Request) string {
	connection, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return ""
	}
	client := connection.Addr().Unmap()
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0 && p.trust(client); i-- {
		hop, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		client = hop.Unmap()
	}
	client = client.WithZone("")
	if client.Is6() {
		return netip.PrefixFrom(client, 64).Masked().String()
	}
	return client.String()
}

func (p Proxies) trust(a netip.Addr) bool {
	return slices.ContainsFunc(p, func(network netip.Prefix) bool { return network.Contains(a) })
}
