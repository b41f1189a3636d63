package command

import (
	"fmt"

	"github.com/rs/zerolog"

	"twibase/graph/documents"
	"twibase/graph/endpoint"
	"twibase/graph/exec"
	"twibase/graph/limits"
)

// trusted returns the documents of --documents, or nil. It logs a warning for each that the server will reject:
// old clients may still send their hashes.
func (s *serveCommand) trusted(limits limits.Limits, log zerolog.Logger) (*documents.Trusted, error) {
	if s.Documents == "" {
		return nil, nil
	}
	trusted, err := documents.Read(s.Documents)
	if err != nil {
		return nil, fmt.Errorf("--documents: %w", err)
	}
	schema := exec.NewExecutableSchema(exec.Config{}).Schema()
	for hash, document := range trusted.All() {
		if err := endpoint.Invalid(schema, limits, document); err != nil {
			log.Warn().Str("hash", hash).Err(err).Msg("a trusted document is not valid and will be rejected")
		}
	}
	log.Info().Int("documents", trusted.Len()).Msg("trusted documents were read")
	return trusted, nil
}
