package cluster

import (
	"context"
	"errors"
	"net"

	"twibase/hbase/cluster/kerberos"
)

// WithKerberos authenticates connections as the principal of login. The store starts the login.
func WithKerberos(login *kerberos.Login) Option {
	return func(s *Store) { s.login, s.user = login, login.Principal() }
}

func dialKerberos(dial dialFunc, login *kerberos.Login) dialFunc {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		host, _, _ := net.SplitHostPort(addr)
		secured, err := login.Secure(ctx, conn, host)
		if err != nil {
			conn.Close()
			return nil, refusedByKerberos(err)
		}
		return secured, nil
	}
}

func refusedByKerberos(err error) error {
	if explained := new(kerberos.Refusal); errors.As(err, &explained) {
		return refusal{explained}
	}
	return err
}

func (s *Store) logOut() {
	if s.login != nil {
		s.login.Close()
	}
}
