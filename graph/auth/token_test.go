package auth

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"strconv"
	"strings"
	"testing"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

type fields = map[string]any

const foreign = "the token is not one of this server's"

func forge(t testing.TB, algorithm jose.SignatureAlgorithm, key any, header, claims fields) string {
	t.Helper()
	options := &jose.SignerOptions{}
	for name, value := range header {
		options.WithHeader(jose.HeaderKey(name), value)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: algorithm, Key: key}, options)
	if err != nil {
		t.Fatal(err)
	}
	token, err := jwt.Signed(signer).Claims(claims).Serialize()
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func raw(header, claims, signature string) string {
	encode := base64.RawURLEncoding.EncodeToString
	return encode([]byte(header)) + "." + encode([]byte(claims)) + "." + encode([]byte(signature))
}

type verdict struct {
	name   string
	tokens *Tokens
	token  string
	want   Viewer
	err    string
}

func (v verdict) check(t *testing.T) {
	t.Run(v.name, func(t *testing.T) {
		viewer, _, err := v.tokens.Verify(t.Context(), v.token)
		message := ""
		if err != nil {
			message = err.Message
		}
		if viewer != v.want || message != v.err {
			t.Errorf("got %+v, %q; want %+v, %q", viewer, message, v.want, v.err)
		}
	})
}

func TestVerifyRejectsInvalidTokens(t *testing.T) {
	at := now.Unix()
	soon := at + 60
	hs256 := func(claims fields) string { return forge(t, jose.HS256, secret, nil, claims) }
	with := func(name string, value any) string {
		return hs256(fields{"sub": "LiLei", "exp": soon, name: value})
	}
	LiLei := Viewer{Username: "LiLei"}
	good := hs256(fields{"sub": "小红", "exp": soon})
	parts := strings.Split(good, ".")
	unsigned := `{"sub":"LiLei","exp":` + itoa(soon) + `}`
	for _, v := range []verdict{
		{"valid", tokens, good, Viewer{Username: "小红"}, ""},
		{"admin claim without Dev", tokens, with("admin", true), LiLei, ""},
		{"admin claim with Dev", dev, with("admin", true), Viewer{Username: "LiLei", Admin: true}, ""},
		{"admin claim that is text", dev, with("admin", "true"), Viewer{}, foreign},
		{"admin claim in another case", dev, with("Admin", true), LiLei, ""},

		{"last moment before the expiry", tokens, hs256(fields{"sub": "LiLei", "exp": at + 1}), LiLei, ""},
		{"expired", tokens, hs256(fields{"sub": "LiLei", "exp": at}), Viewer{}, "the token has expired: get a new one"},
		{"no expiry", tokens, hs256(fields{"sub": "LiLei"}), Viewer{}, foreign},
		{"null expiry", tokens, with("exp", nil), Viewer{}, foreign},
		{"or text", tokens, with("exp", itoa(soon)), Viewer{}, foreign},
		{"negative expiry", tokens, with("exp", -1e18), Viewer{}, "the token has expired: get a new one"},
		{"expiry after the year 9999", tokens, with("exp", 1e18), Viewer{}, foreign},
		{"expiry that overflows", tokens, with("exp", 1e300), Viewer{}, "the token has expired: get a new one"},
		{"nbf that overflows", tokens, with("nbf", 1e300), Viewer{}, foreign},
		{"iat that overflows", tokens, with("iat", 9.3e18), Viewer{}, foreign},
		{"expiry that is not a number", tokens, raw(`{"alg":"HS256"}`, `{"sub":"LiLei","exp":9e999}`, "x"), Viewer{},
			foreign},
		{"nbf in the future", tokens, with("nbf", soon), Viewer{}, "the token is not valid yet"},
		{"iat in the future", tokens, with("iat", soon), Viewer{}, "the token is not valid yet"},
		{"clock five seconds ahead", tokens, with("nbf", at+5), LiLei, ""},
		{"clock six seconds ahead", tokens, with("nbf", at+6), Viewer{}, "the token is not valid yet"},
		{"no subject", tokens, hs256(fields{"exp": soon}), Viewer{}, foreign},
		{"subject that is not a username", tokens, with("sub", "a\x00b"), Viewer{}, foreign},
		{"nor many", tokens, with("sub", []string{"LiLei"}), Viewer{}, foreign},
		{"subject in another case", tokens, hs256(fields{"Sub": "LiLei", "exp": soon}), Viewer{}, foreign},

		{"other secret", tokens, forge(t, jose.HS256, []byte(strings.Repeat("x", 32)), nil,
			fields{"sub": "LiLei", "exp": soon}), Viewer{}, foreign},
		{"HS512", tokens,
			forge(t, jose.HS512, []byte(strings.Repeat("s", 64)), nil, fields{"sub": "LiLei", "exp": soon}), Viewer{}, foreign},
		{"algorithm none", tokens, raw(`{"alg":"none"}`, unsigned, ""), Viewer{}, foreign},
		{"algorithm nOnE", tokens, raw(`{"alg":"nOnE"}`, unsigned, "x"), Viewer{}, foreign},
		{"no algorithm", tokens, raw(`{}`, unsigned, "x"), Viewer{}, foreign},
		{"two algorithms", tokens, raw(`{"alg":"none","alg":"HS256"}`, unsigned, "x"), Viewer{}, foreign},
		{"algorithm none with a valid signature", tokens,
			base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`)) + "." + parts[1] + "." + parts[2], Viewer{}, foreign},
		{"critical extension", tokens,
			forge(t, jose.HS256, secret, fields{"crit": []string{"exp"}, "exp": 1},
				fields{"sub": "LiLei", "exp": soon}), Viewer{}, foreign},
		{"embedded key", tokens, forgeOwnKey(t, fields{"sub": "LiLei", "exp": soon}), Viewer{}, foreign},
		{"key id of a secret", tokens,
			forge(t, jose.HS256, secret, fields{"kid": "../../../dev/null"}, fields{"sub": "LiLei", "exp": soon}), LiLei, ""},

		{"changed claim", tokens, parts[0] + "." + base64.RawURLEncoding.EncodeToString([]byte(unsigned)) + "." + parts[2],
			Viewer{}, foreign},
		{"truncated", tokens, good[:len(good)-1], Viewer{}, foreign},
		{"only a header", tokens, parts[0], Viewer{}, foreign},
		{"no signature", tokens, parts[0] + "." + parts[1] + ".", Viewer{}, foreign},
		{"four parts", tokens, good + "." + parts[2], Viewer{}, foreign},
		{"many parts", tokens, strings.Repeat(".", 8000), Viewer{}, foreign},
		{"JSON serialization", tokens,
			`{"payload":"` + parts[1] + `","protected":"` + parts[0] + `","signature":"` + parts[2] + `"}`, Viewer{}, foreign},
		{"line break", tokens, good + "\n", Viewer{}, foreign},
		{"padding", tokens, good + "=", Viewer{}, foreign},
		{"empty", tokens, "", Viewer{}, foreign},
		{"huge", tokens, with("x", strings.Repeat("x", maxToken)), Viewer{}, foreign},
		{"deeply nested header", tokens, raw(`{"alg":"HS256","x":`+strings.Repeat("[", 5000)+`}`, unsigned, "x"), Viewer{},
			foreign},
		{"server without a secret", nil, good, Viewer{},
			"this server takes no tokens: it was started without --jwt-secret-file and --jwks"},
	} {
		v.check(t)
	}
}

// A signature's last character has unused bits.
func TestTokenHasOneForm(t *testing.T) {
	good, _, err := tokens.Sign(Viewer{Username: "LiLei"})
	if err != nil {
		t.Fatal(err)
	}
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	for i := range good {
		for _, c := range alphabet {
			if other := good[:i] + string(c) + good[i+1:]; other != good {
				if viewer, _, err := tokens.Verify(t.Context(), other); err == nil {
					t.Fatalf("with %c at %d of %d accepted as %v's", c, i, len(good), viewer)
				}
			}
		}
	}
}

func TestRequiredIssuerAndAudienceMustMatch(t *testing.T) {
	here := &Tokens{Secrets: tokens.Secrets, Issuer: "https://id.example", Audience: "twibase", Now: tokens.Now}
	token := func(issuer, audience any) string {
		return forge(t, jose.HS256, secret, nil,
			fields{"sub": "LiLei", "exp": now.Unix() + 60, "iss": issuer, "aud": audience})
	}
	LiLei := Viewer{Username: "LiLei"}
	for _, v := range []verdict{
		{"required issuer and audience", here, token("https://id.example", "twibase"), LiLei, ""},
		{"several audiences", here, token("https://id.example", []string{"else", "twibase"}), LiLei, ""},
		{"other issuer", here, token("https://id.example/", "twibase"), Viewer{}, foreign},
		{"no issuer", here, token(nil, "twibase"), Viewer{}, foreign},
		{"list of issuers", here, token([]string{"https://id.example"}, "twibase"), Viewer{}, foreign},
		{"other audience", here, token("https://id.example", "Twibase"), Viewer{}, foreign},
		{"no audience", here, token("https://id.example", nil), Viewer{}, foreign},
		{"null audience", here, token("https://id.example", []string{}), Viewer{}, foreign},
		{"neither required", tokens, token("https://id.example", "else"), LiLei, ""},
	} {
		v.check(t)
	}
}

func forgeOwnKey(t *testing.T, claims fields) string {
	t.Helper()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: newES256(t)},
		&jose.SignerOptions{EmbedJWK: true})
	if err != nil {
		t.Fatal(err)
	}
	token, err := jwt.Signed(signer).Claims(claims).Serialize()
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func newES256(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func newRSA(t testing.TB, bits int) *rsa.PrivateKey {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, bits)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func newEdDSA(t testing.TB) ed25519.PrivateKey {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func published(t testing.TB, key crypto.Signer) []byte {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
