package main

import (
	"context"
	"net/http"
	"sync"
)

// recipe: tokens

// Tokens is the viewer's token. It is safe for concurrent use.
type Tokens struct {
	Get func(ctx context.Context) (string, error) // gets a new one, such as by logIn

	mu    sync.Mutex
	token string
}

// Current returns the token; it may have expired.
func (t *Tokens) Current() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.token
}

// Renew replaces a token that the server refused, once for all requests that it was refused to.
func (t *Tokens) Renew(ctx context.Context, refused string) (token string, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.token == refused {
		if token, err = t.Get(ctx); err != nil {
			return "", err
		}
		t.token = token
	}
	return t.token, nil
}

// RoundTrip sends a request with the token and, on status 401, once more with a new one.
func (t *Tokens) RoundTrip(r *http.Request) (*http.Response, error) {
	token := t.Current()
	response, err := http.DefaultTransport.RoundTrip(authorized(r, token))
	if err != nil || response.StatusCode != http.StatusUnauthorized {
		return response, err
	}
	response.Body.Close() // the server has executed nothing
	if token, err = t.Renew(r.Context(), token); err != nil {
		return nil, err
	}
	again := authorized(r, token)
	if again.Body, err = r.GetBody(); err != nil {
		return nil, err
	}
	return http.DefaultTransport.RoundTrip(again)
}

func authorized(r *http.Request, token string) *http.Request {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+token)
	return r
}

// end of recipe
