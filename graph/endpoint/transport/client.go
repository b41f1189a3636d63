package transport

import (
	"net/http"
	"slices"
)

// Headers with the name of the client: Apollo's, and those of Hive and other tools.
var (
	clientNames    = [...]string{"Apollographql-Client-Name", "Graphql-Client-Name"}
	clientVersions = [...]string{"Apollographql-Client-Version", "Graphql-Client-Version"}
)

// ClientHeaders returns the canonical names of these headers.
func ClientHeaders() []string { return slices.Concat(clientNames[:], clientVersions[:]) }

// ClientOf returns the name and version that the client's headers contain, or "".
func ClientOf(headers http.Header) (name, version string) {
	return first(headers, clientNames[:]), first(headers, clientVersions[:])
}

func first(headers http.Header, names []string) string {
	for _, name := range names {
		if values := headers[name]; len(values) > 0 && values[0] != "" {
			return values[0]
		}
	}
	return ""
}
