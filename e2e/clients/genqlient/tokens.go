package main

import (
	"context"
	"net/http"
	"sync"
)

// Tokens is the viewer's token. It is safe for concurrent use.
type Tokens struct {
	Get func(ctx context.Context) (string, error) // gets a new one, such as by logIn

	mu    sync.Mutex
	token string
}

// Token returns the token. If the server rejected it, or there is none, it gets a new one, once for
// all requests.
func (t *Tokens) Token(ctx context.Context, rejected string) (token string, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.token == rejected {
		if token, err = t.Get(ctx); err != nil {
			return "", err
		}
		t.token = token
	}
	return t.token, nil
}

// RoundTrip repeats a request after status 401, with a new token.
func (t *Tokens) RoundTrip(r *http.Request) (*http.Response, error) {
	token, err := t.Token(r.Context(), "")
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultTransport.RoundTrip(authorized(r, token))
	if err != nil || response.StatusCode != http.StatusUnauthorized {
		return response, err
	}
	response.Body.Close() // nothing was executed
	if token, err = t.Token(r.Context(), token); err != nil {
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
