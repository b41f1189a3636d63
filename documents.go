package main

import (
	"fmt"

	"github.com/rs/zerolog"

	"twibase/graph/documents"
	"twibase/graph/endpoint"
	"twibase/graph/exec"
	"twibase/graph/limits"
)

// trusted is nil if there is no manifest. Of its documents those are told that will be refused, as old clients may still have them.
func (s *serve) trusted(limits limits.Limits, log zerolog.Logger) (*documents.Trusted, error) {
	if s.Documents == "" {
		return nil, nil
	}
	trusted, err := documents.Read(s.Documents)
	if err != nil {
		return nil, fmt.Errorf("--documents: %w", err)
	}
	schema := exec.NewExecutableSchema(exec.Config{}).Schema()
	for hash, document := range trusted.All() {
		if err := endpoint.Invalid(schema, &limits, document); err != nil {
			log.Warn().Str("hash", hash).Err(err).Msg("a trusted document is not valid, and will be refused")
		}
	}
	log.Info().Int("documents", trusted.Len()).Msg("documents are trusted")
	return trusted, nil
}
