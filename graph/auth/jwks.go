package auth

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/rs/zerolog"
)

const (
	// fetchTimeout and maxKeySet bound a fetch of keys.
	fetchTimeout = 5 * time.Second
	maxKeySet    = 1 << 20
	// fetchEvery is after how long keys are fetched again, so that one that was withdrawn is good no longer.
	fetchEvery = 10 * time.Minute
	// fetchPause is how long an unknown key does not make them be fetched once more.
	fetchPause = 30 * time.Second
	// lookEvery is how often files are looked at.
	lookEvery = 5 * time.Second
	// minRSA is how many bits are asked of an RSA key (RFC 7518, section 3.3).
	minRSA = 2048
)

var (
	// errNoKeys is a question for keys that could not be fetched since the start.
	errNoKeys = errors.New("no keys are known yet")
	// errNotUsable is a set without any key that a token could be verified by.
	errNotUsable = errors.New("none of the keys is a public one for RS256, ES256 or EdDSA")
)

// KeySet is a JSON Web Key Set: the public keys of those who sign tokens elsewhere. It is safe for concurrent use.
type KeySet struct {
	kept  *kept[[]publicKey]
	every time.Duration // how often it is read
	pause time.Duration // how long after a read an unknown key makes it be read again
}

// publicKey is one with the only algorithm that it is for.
type publicKey struct {
	id        string
	algorithm jose.SignatureAlgorithm
	key       any
}

// ReadKeySet returns the keys of a file, or of an https or http URL. A file must be readable now. If a URL is not,
// ReadKeySet logs a warning, and the keys are fetched later.
func ReadKeySet(ctx context.Context, place string, log zerolog.Logger) (*KeySet, error) {
	return readKeySet(ctx, http.DefaultTransport, place, log)
}

func readKeySet(ctx context.Context, network http.RoundTripper, place string, log zerolog.Logger) (*KeySet, error) {
	remote := strings.HasPrefix(place, "https://") || strings.HasPrefix(place, "http://")
	s := &KeySet{every: lookEvery, pause: lookEvery}
	read := func(context.Context) ([]byte, error) { return os.ReadFile(place) }
	if remote {
		s.every, s.pause = fetchEvery, fetchPause
		client := newClient(network)
		read = func(ctx context.Context) ([]byte, error) { return fetch(ctx, client, place) }
	}
	s.kept = newKept(read, parseKeys)
	_, err := s.kept.load(ctx)
	if err != nil && remote {
		log.Warn().Err(err).Msg("the key set can't be fetched yet; until it can, its tokens are not accepted")
		return s, nil
	}
	return s, err
}

// find returns the key of that id that is for that algorithm. A token that names no key means the only one that there is for its algorithm. If
// there is none the keys are read once more, since a new one may have come, but not often.
func (s *KeySet) find(ctx context.Context, id, algorithm string) ([]any, error) {
	if found := s.known(id, algorithm); found != nil {
		return found, nil
	}
	_, _ = s.kept.loadAfter(ctx, s.pause) // what is wrong with it follow logs
	if s.kept.value.Load() == nil {
		return nil, errNoKeys
	}
	return s.known(id, algorithm), nil
}

func (s *KeySet) known(id, algorithm string) (found []any) {
	keys := s.kept.value.Load()
	if keys == nil {
		return nil
	}
	for _, k := range *keys {
		if string(k.algorithm) == algorithm && (k.id == id || id == "") {
			found = append(found, k.key)
		}
	}
	if id == "" && len(found) > 1 {
		return nil
	}
	return found
}

// parseKeys reads a set. What in it is for other purposes is passed over.
func parseKeys(text []byte) (keys []publicKey, err error) {
	var set struct{ Keys []json.RawMessage }
	if err := json.Unmarshal(text, &set); err != nil {
		return nil, fmt.Errorf("it is no JSON Web Key Set: %w", err)
	}
	for _, raw := range set.Keys {
		var k jose.JSONWebKey
		if k.UnmarshalJSON(raw) != nil || !k.Valid() || k.Use != "" && k.Use != "sig" {
			continue
		}
		if algorithm := algorithmOf(k.Key); algorithm != "" && (k.Algorithm == "" || k.Algorithm == string(algorithm)) {
			keys = append(keys, publicKey{k.KeyID, algorithm, k.Key})
		}
	}
	if keys == nil {
		return nil, errNotUsable
	}
	return keys, nil
}

// algorithmOf returns what a key is for, empty if it is for nothing here: a private key, a secret, one that is too short.
func algorithmOf(key any) jose.SignatureAlgorithm {
	switch key := key.(type) {
	case *rsa.PublicKey:
		if key.N.BitLen() >= minRSA {
			return jose.RS256
		}
	case *ecdsa.PublicKey:
		if key.Curve == elliptic.P256() {
			return jose.ES256
		}
	case ed25519.PublicKey:
		return jose.EdDSA
	}
	return ""
}

// newClient returns a client that fetches keys. It follows no redirect from https to http, which could be tampered
// with on the way.
func newClient(network http.RoundTripper) *http.Client {
	check := func(r *http.Request, via []*http.Request) error {
		if len(via) > 3 || r.URL.Scheme != via[0].URL.Scheme {
			return http.ErrUseLastResponse
		}
		return nil
	}
	return &http.Client{Transport: network, Timeout: fetchTimeout, CheckRedirect: check}
}

func fetch(ctx context.Context, client *http.Client, url string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "application/jwk-set+json, application/json")
	answer, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxKeySet+1))
	switch {
	case err != nil:
		return nil, err
	case answer.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("%s answers %s", url, answer.Status)
	case len(text) > maxKeySet:
		return nil, fmt.Errorf("%s has more than %d bytes", url, maxKeySet)
	}
	return text, nil
}
