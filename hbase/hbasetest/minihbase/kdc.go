package minihbase

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"twibase/hbase/cluster"
	"twibase/hbase/cluster/kerberos"
)

const (
	Realm     = "EXAMPLE.COM"
	Principal = "twibase@" + Realm         // of clients
	service   = "hbase/localhost@" + Realm // of HBase
	// Elsewhere is the host of a service whose key HBase does not use.
	Elsewhere = "elsewhere.example"
	// TicketLifetime is short, so that tests renew tickets.
	TicketLifetime = 6 * time.Second
)

type KDC struct {
	Keytab string // of HBase, its clients, and the service on [Elsewhere]
	Conf   string // krb5.conf of clients
	conf   string // krb5.conf of HBase, whose tickets last a day
	*process
}

func StartKDC(ctx context.Context, dir string) (*KDC, error) {
	lib, err := jars(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	const settings = "org.name=EXAMPLE\norg.domain=COM\nkdc.bind.address=127.0.0.1\nkdc.port=0\ninstance=kdc\n" +
		"transport=TCP\nmax.ticket.lifetime=86400\nmin.ticket.lifetime=1\nmax.renewable.lifetime=86400\n"
	config := filepath.Join(dir, "kdc.properties")
	if err := os.WriteFile(config, []byte(settings), 0o600); err != nil {
		return nil, err
	}
	k := &KDC{Keytab: filepath.Join(dir, "keytab"), Conf: filepath.Join(dir, "client.conf"),
		conf: filepath.Join(dir, "krb5.conf")}
	k.process, err = startProcess(filepath.Join(dir, "kdc.log"), "java", shortLived[0], "-Xmx128m",
		"-Djava.net.preferIPv4Stack=true", "-cp", filepath.Join(lib, "*"), "org.apache.hadoop.minikdc.MiniKdc", dir, config,
		k.Keytab, name(service), name(Principal), "hbase/"+Elsewhere)
	if err != nil {
		return nil, err
	}
	for !strings.Contains(k.log.tail(), "Do <CTRL-C>") { // its last line
		select {
		case <-k.done:
			err = errors.New("the KDC ended before it was up")
		case <-ctx.Done():
			err = ctx.Err()
		case <-time.After(20 * time.Millisecond):
			continue
		}
		k.kill()
		return nil, fmt.Errorf("minihbase: %w\n%s", err, k.log.tail())
	}
	if err := k.writeConf(); err != nil {
		k.kill()
		return nil, err
	}
	return k, nil
}

func (k *KDC) writeConf() error {
	text, err := os.ReadFile(k.conf)
	if err != nil {
		return err
	}
	const head = "[libdefaults]\n"
	before, after, ok := strings.Cut(string(text), head)
	if !ok {
		return fmt.Errorf("minihbase: %s has no [libdefaults]", k.conf)
	}
	text = fmt.Appendf(nil, "%s%sticket_lifetime = %v\n%s", before, head, TicketLifetime, after)
	return os.WriteFile(k.Conf, text, 0o600)
}

func name(principal string) string { return strings.TrimSuffix(principal, "@"+Realm) }

func (k *KDC) Kill() { k.kill() }

func (k *KDC) Config() kerberos.Config {
	return kerberos.Config{Keytab: k.Keytab, Principal: Principal, Conf: k.Conf}
}

// Environment makes twibase a client of [KDC.Security].
func (k *KDC) Environment() map[string]string {
	return map[string]string{
		"TWIBASE_HBASE_KEYTAB":    k.Keytab,
		"TWIBASE_HBASE_PRINCIPAL": Principal,
		"TWIBASE_KRB5_CONF":       k.Conf,
	}
}

// Security is of an HBase with Kerberos. protection is hbase.rpc.protection.
func (k *KDC) Security(protection string) (Security, error) {
	login, err := kerberos.New(k.Config(), zerolog.Nop())
	return Security{
		Settings: []string{
			"hbase.security.authentication=kerberos",
			"hbase.rpc.protection=" + protection,
			"hbase.master.keytab.file=" + k.Keytab,
			"hbase.master.kerberos.principal=" + service,
			"hbase.regionserver.keytab.file=" + k.Keytab,
			"hbase.regionserver.kerberos.principal=" + service,
		},
		JVM:     []string{"-Dtwibase.authentication=kerberos", "-Djava.security.krb5.conf=" + k.conf},
		Options: []cluster.Option{cluster.WithKerberos(login)},
	}, err
}
