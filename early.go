package main

import (
	"net/http"

	"github.com/rs/zerolog"

	"twibase/graph/endpoint"
)

// early refuses in front of next what graphql would refuse behind it. Those who are too many have to be sent away for little: what that takes is taken from the
// answers to others. Some go all the way, and are logged.
func early(graphql *endpoint.Endpoint, next http.Handler) http.Handler {
	some := perSecond(10)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if graphql.Crowded(r) && !some.Sample(zerolog.InfoLevel) {
			graphql.SendAway(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}
