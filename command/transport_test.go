package command

import (
	"bytes"
	"compress/gzip"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func certify(t *testing.T, name, cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name},
		NotAfter: time.Now().Add(time.Hour)}
	public, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: public},
		key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func do(t *testing.T, protocols *http.Protocols, r *http.Request) (*http.Response, []byte) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{Protocols: protocols, DisableCompression: true,
		DisableKeepAlives: true,
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true}}}
	response, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, body
}

func get(t *testing.T, url string, headers ...string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

func TestTLSCertificateIsReloaded(t *testing.T) {
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	certify(t, "first", cert, key)
	server, _ := started(t, "--tls-cert", cert, "--tls-key", key)
	if !strings.HasPrefix(server, "https://") {
		t.Fatal(server)
	}
	both := new(http.Protocols)
	both.SetHTTP1(true)
	both.SetHTTP2(true)
	name := func() string {
		response, _ := do(t, both, get(t, server+"/healthz"))
		if response.ProtoMajor != 2 {
			t.Error(response.Proto)
		}
		return response.TLS.PeerCertificates[0].Subject.CommonName
	}
	failing := func(want string) {
		t.Helper()
		if _, body := do(t, both, get(t, server+"/metrics")); !strings.Contains(string(body),
			`twibase_reload_failing{flag="tls-cert"} `+want+"\n") {
			t.Errorf("/metrics lacks that the reload is failing: %s", want)
		}
	}
	if got := name(); got != "first" {
		t.Error(got)
	}
	failing("0")
	if err := os.WriteFile(key, []byte("half of it"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := name(); got != "first" {
		t.Error("with a key of another certificate: ", got)
	}
	failing("1")
	certify(t, "second", cert, key)
	if got := name(); got != "second" {
		t.Error(got)
	}
	failing("0")
}

func ungzip(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }

func TestLongResponsesAreCompressed(t *testing.T) {
	server, _ := started(t)
	long := server + "/graphql?query=" + url.QueryEscape("{__schema{types{name fields{name description args{name description}}}}}")
	short := server + "/graphql?query=" + url.QueryEscape("{__typename}")
	_, plain := do(t, nil, get(t, long))
	for _, test := range []struct {
		name, url, takes, encoding string
		unpack                     func(io.Reader) (io.Reader, error)
	}{
		{"long response", long, "gzip", "gzip", ungzip},
		{"browser's Accept-Encoding", long, "gzip, deflate, br, zstd", "gzip", ungzip},
		{"other encoding preferred", long, "br, zstd, gzip;q=0.1", "gzip", ungzip},
		{"no gzip", long, "br, zstd", "", nil},
		{"gzip is not accepted", long, "gzip;q=0", "", nil},
		{"short response", short, "gzip, zstd", "", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			response, body := do(t, nil, get(t, test.url, "Accept-Encoding", test.takes))
			if got := response.Header.Get("Content-Encoding"); got != test.encoding || response.StatusCode != http.StatusOK {
				t.Fatal(response.Status, got)
			}
			if test.unpack == nil {
				return
			}
			reader, err := test.unpack(bytes.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			if unpacked, err := io.ReadAll(reader); err != nil || !bytes.Equal(unpacked, plain) || len(body) > len(plain)/2 {
				t.Errorf("%v: %d bytes, of %d the same: %t", err, len(body), len(plain), bytes.Equal(unpacked, plain))
			}
		})
	}
	t.Run("HTTP/2 needs no TLS", func(t *testing.T) {
		clear := new(http.Protocols)
		clear.SetUnencryptedHTTP2(true)
		if response, body := do(t, clear, get(t, short)); response.ProtoMajor != 2 ||
			string(body) != `{"data":{"__typename":"Query"}}` {
			t.Errorf("%s: %s", response.Proto, body)
		}
	})
	t.Run("HEAD is GET without a body", func(t *testing.T) {
		r := get(t, short)
		r.Method = http.MethodHead
		if response, body := do(t, nil, r); response.StatusCode != http.StatusOK || len(body) > 0 ||
			response.ContentLength != int64(len(`{"data":{"__typename":"Query"}}`)) {
			t.Error(response.Status, response.ContentLength, body)
		}
	})
	t.Run("OPTIONS lists the methods", func(t *testing.T) {
		r := get(t, server+"/graphql")
		r.Method = http.MethodOptions
		if response, body := do(t, nil, r); response.StatusCode != http.StatusNoContent ||
			response.Header.Get("Allow") != "GET, HEAD, POST, PUT, DELETE, OPTIONS" || len(body) > 0 {
			t.Error(response.Status, response.Header, body)
		}
	})
	t.Run("batches of requests are rejected", func(t *testing.T) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server+"/graphql",
			strings.NewReader(`[{"query":"{__typename}"},{"query":"{__typename}"}]`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		want := `{"errors":[{"message":"requests can't be batched: send one request at a time","extensions":{"code":"BAD_USER_INPUT"}}]}`
		if response, body := do(t, nil, r); response.StatusCode != http.StatusBadRequest ||
			strings.TrimSpace(string(body)) != want {
			t.Errorf("%s: %s", response.Status, body)
		}
	})
}
