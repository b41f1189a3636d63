package command

import (
	"github.com/rs/zerolog"

	"twibase/hbase/cluster"
	"twibase/hbase/cluster/kerberos"
)

type hbaseKerberosFlags struct {
	HBaseKeytab    string `name:"hbase-keytab" placeholder:"FILE" help:"Authenticate to HBase with Kerberos, with the keys of --hbase-principal in this keytab. Tickets are renewed."`
	HBasePrincipal string `name:"hbase-principal" placeholder:"NAME" help:"Principal of --hbase-keytab: NAME@REALM, or NAME for the default_realm of --krb5-conf."`
	Krb5Conf       string `name:"krb5-conf" env:"TWIBASE_KRB5_CONF" default:"/etc/krb5.conf" placeholder:"FILE" help:"Kerberos configuration with the KDC of the realm (default: ${default})."`
}

func (f *hbaseKerberosFlags) Validate() error {
	return require((f.HBaseKeytab == "") == (f.HBasePrincipal == ""), "--hbase-keytab and --hbase-principal need each other")
}

func (f *hbaseKerberosFlags) options(log zerolog.Logger) ([]cluster.Option, error) {
	if f.HBaseKeytab == "" {
		return nil, nil
	}
	login, err := kerberos.New(kerberos.Config{
		Keytab: f.HBaseKeytab, Principal: f.HBasePrincipal, Conf: f.Krb5Conf,
	}, log)
	if err != nil {
		return nil, err
	}
	return []cluster.Option{cluster.WithKerberos(login)}, nil
}
