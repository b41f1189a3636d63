// Package kerberos authenticates connections to HBase with Kerberos, and protects them as
// hbase.rpc.protection requires.
//
// A [Login] keeps a ticket of the KDC. [Login.Secure] authenticates one connection:
//
//	client                                   server
//	"HBas", version 0, method 81 ──────────►
//	length, AP-REQ ────────────────────────►            the ticket for hbase/HOST      context.go
//	        ◄──────────────── status, length, AP-REP    the server has the key of hbase/HOST
//	length 0 ──────────────────────────────►
//	        ◄──── status, length, Wrap{protections}     RFC 4752                       handshake.go
//	length, Wrap{protection} ──────────────►
//	the connection header, calls ◄─────────► responses  each a Wrap token, with the protections
//	                                                    integrity and privacy          conn.go, token.go
package kerberos
