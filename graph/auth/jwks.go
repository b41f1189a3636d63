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
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/rs/zerolog"
	"go.opentelemetry.io/otel/propagation"
)

const (
	fetchTimeout = 5 * time.Second
	maxKeySet    = 1 << 20
	// fetchInterval bounds the time that withdrawn keys are accepted, while fetches succeed.
	fetchInterval = 10 * time.Minute
	// minFetchPause limits the fetches that unknown keys cause.
	minFetchPause = 30 * time.Second
	fileInterval  = 5 * time.Second
	// minRSA is in bits (RFC 7518, section 3.3).
	minRSA = 2048
)

var (
	errNoKeys    = errors.New("no keys are known yet")
	errNotUsable = errors.New("none of the keys is a public one for RS256, ES256 or EdDSA")
	errBadURL    = errors.New("invalid URL: write one such as https://id.example.org/keys.json, or the path of a file")
	errUserInURL = errors.New("the URL must have no user or password: remove what is between // and @")
)

// KeySet is a JSON Web Key Set, safe for concurrent use.
type KeySet struct {
	keys     *reloaded[[]publicKey]
	interval time.Duration
	pause    time.Duration // after a read, the minimum time until an unknown key may cause another
}

type publicKey struct {
	id        string
	algorithm jose.SignatureAlgorithm
	key       any
}

// CheckKeySetLocation returns an error for a location that [ReadKeySet] cannot use. The error does
// not repeat the location, which may have a password.
func CheckKeySetLocation(location string) error {
	if !isURL(location) {
		return nil
	}
	u, err := url.Parse(location)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return errBadURL
	case u.User != nil:
		return errUserInURL
	}
	return nil
}

func isURL(location string) bool { return strings.Contains(location, "://") }

// ReadKeySet reads a file or URL that [CheckKeySetLocation] accepts: errors and log messages repeat
// it. A failed fetch of a URL is no error: it is repeated later.
func ReadKeySet(ctx context.Context, location string, log zerolog.Logger) (*KeySet, error) {
	return readKeySet(ctx, http.DefaultTransport, location, log)
}

func readKeySet(ctx context.Context, network http.RoundTripper, location string, log zerolog.Logger) (*KeySet, error) {
	remote := isURL(location)
	s := &KeySet{interval: fileInterval, pause: fileInterval}
	read := func(context.Context) ([]byte, error) { return os.ReadFile(location) }
	if remote {
		s.interval, s.pause = fetchInterval, minFetchPause
		client := newClient(network)
		read = func(ctx context.Context) ([]byte, error) { return fetch(ctx, client, location) }
	}
	s.keys = newReloaded(read, parseKeys)
	_, err := s.keys.load(ctx, 0)
	if err != nil && remote {
		log.Warn().Err(err).Msg("cannot fetch the key set; tokens signed with its keys are rejected until a fetch succeeds")
		return s, nil
	}
	return s, err
}

// Failing reports whether the last read failed.
func (s *KeySet) Failing() bool { return s.keys.failing.Load() }

// find returns the keys with an id, or without an id the only key of the algorithm. If there is
// none, it reads the set again, at most once per pause.
func (s *KeySet) find(ctx context.Context, id, algorithm string) ([]any, error) {
	if found := s.known(id, algorithm); found != nil {
		return found, nil
	}
	_, _ = s.keys.load(ctx, s.pause)
	if s.keys.current.Load() == nil {
		return nil, errNoKeys
	}
	return s.known(id, algorithm), nil
}

func (s *KeySet) known(id, algorithm string) (found []any) {
	keys := s.keys.current.Load()
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

// algorithmOf returns "" for unsupported keys.
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

// newClient follows at most three redirects, all with the same scheme.
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
	propagation.TraceContext{}.Inject(ctx, propagation.HeaderCarrier(r.Header))
	response, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxKeySet+1))
	switch {
	case err != nil:
		return nil, err
	case response.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("%s: status %s", url, response.Status)
	case len(text) > maxKeySet:
		return nil, fmt.Errorf("%s has more than %d bytes", url, maxKeySet)
	}
	return text, nil
}
