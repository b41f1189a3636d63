package kerberos

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jcmturner/gokrb5/v8/iana/nametype"
	"github.com/jcmturner/gokrb5/v8/messages"
	"github.com/jcmturner/gokrb5/v8/types"
	"github.com/rs/zerolog"
)

// Login is a principal. The Login of Start has a ticket of the KDC, and renews it. Login is safe
// for concurrent use.
type Login struct {
	id   *identity
	log  zerolog.Logger
	slot chan struct{} // a semaphore: its holder may use session, change id, and ask a KDC
	stop context.CancelFunc
	done sync.WaitGroup

	session *session

	expiry   atomic.Int64 // of the ticket, in Unix seconds
	failures atomic.Int64
}

const startTimeout = 4 * time.Second

// New reads the files of config. Errors name the flag to change.
func New(config Config, log zerolog.Logger) (*Login, error) {
	id, err := config.read()
	if err != nil {
		return nil, err
	}
	return &Login{id: id, log: log, slot: make(chan struct{}, 1)}, nil
}

// Start logs in, and returns a Login that is renewed until Close.
func (l *Login) Start(ctx context.Context) (*Login, error) {
	started := &Login{id: l.id, log: l.log, slot: l.slot}
	limited, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	end, err := use(limited, started, started.logIn)
	if err != nil {
		return nil, err
	}
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	started.stop = stop
	started.done.Go(func() { started.renew(background, end) })
	return started, nil
}

func (l *Login) Close() {
	l.stop()
	l.done.Wait()
}

// Principal returns NAME@REALM. The user in HBase is its short name.
func (l *Login) Principal() string { return l.id.principal() }

// Expiry returns when the ticket expires, in Unix seconds, or 0 before Start.
func (l *Login) Expiry() int64 { return l.expiry.Load() }

// Failures counts failed log-ins.
func (l *Login) Failures() int64 { return l.failures.Load() }

// use calls f with the slot. If ctx ends first, f continues, because gokrb5 has no contexts.
func use[T any](ctx context.Context, l *Login, f func() (T, error)) (result T, err error) {
	select {
	case l.slot <- struct{}{}:
	case <-ctx.Done():
		return result, l.id.unreachable(*l.id.asked.Load(), ctx.Err())
	}
	type outcome struct {
		result T
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		defer func() { <-l.slot }()
		result, err := f()
		done <- outcome{result, err}
	}()
	select {
	case o := <-done:
		return o.result, o.err
	case <-ctx.Done():
		return result, l.id.unreachable(*l.id.asked.Load(), ctx.Err())
	}
}

// logIn needs the slot.
func (l *Login) logIn() (end time.Time, err error) {
	s, err := l.id.logIn()
	if err != nil {
		l.failures.Add(1)
		return end, err
	}
	if l.session != nil {
		s.renewOf(l.session)
	}
	l.session = s
	l.expiry.Store(s.granted.end.Unix())
	return s.granted.end, nil
}

const renewRetry = 5 * time.Second

// renew logs in again after three quarters of a ticket's lifetime.
func (l *Login) renew(ctx context.Context, end time.Time) {
	failed := false
	for {
		wait := renewRetry
		if !failed {
			wait = max(time.Until(end)*3/4, time.Second)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		next, err := use(ctx, l, l.logIn)
		switch {
		case err == nil:
			end = next
		case !failed && ctx.Err() == nil:
			l.log.Warn().Err(err).Time("end", end).Msg("Kerberos ticket not renewed: will retry")
		}
		if failed && err == nil {
			l.log.Info().Msg("Kerberos ticket renewed")
		}
		failed = err != nil
	}
}

func (l *Login) ticket(ctx context.Context, host string) (ticket, error) {
	return use(ctx, l, func() (ticket, error) {
		if !l.session.granted.valid() {
			if _, err := l.logIn(); err != nil {
				return ticket{}, err
			}
		}
		return l.session.service(service, host)
	})
}

// discard removes the ticket for a host that rejected it. The host may have a new key.
func (l *Login) discard(ctx context.Context, host string) {
	_, _ = use(ctx, l, func() (struct{}, error) {
		delete(l.session.others, service+"/"+host)
		return struct{}{}, nil
	})
}

const service = "hbase"

const handshakeTimeout = 10 * time.Second

// Secure authenticates a connection to an HBase server. The caller must write whole messages, begin
// like a client without Kerberos, and close the connection after an error.
func (l *Login) Secure(ctx context.Context, c net.Conn, host string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, handshakeTimeout)
	defer cancel()
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	t, err := l.ticket(ctx, host)
	if err != nil {
		return nil, err
	}
	gss, err := newContext(types.NewPrincipalName(nametype.KRB_NT_PRINCIPAL, l.id.name), l.id.realm, t)
	if err != nil {
		return nil, err
	}
	interrupted := context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Unix(1, 0)) })
	tokens, p, err := handshake(c, gss)
	if !interrupted() && err == nil {
		err = ctx.Err()
	}
	if errors.As(err, new(*RemoteError)) || errors.As(err, new(messages.KRBError)) {
		l.discard(ctx, host)
	}
	if err != nil {
		return nil, l.id.explainHandshake(err, host)
	}
	secured := c
	if p != authentication {
		secured = newWrapped(c, tokens, p)
	}
	return &conn{Conn: secured}, nil
}
