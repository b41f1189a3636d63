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

// foreign is what whoever shows a forged token is told: not why.
const foreign = "the token is not one of this server's"

// forge signs any claims by any algorithm and key, with any fields of the header.
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

// raw makes a token of whatever parts.
func raw(header, claims, signature string) string {
	encode := base64.RawURLEncoding.EncodeToString
	return encode([]byte(header)) + "." + encode([]byte(claims)) + "." + encode([]byte(signature))
}

// verdict is what becomes of a token.
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

func TestVerify(t *testing.T) {
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
		{"a token names the viewer", tokens, good, Viewer{Username: "小红"}, ""},
		{"admin is not honoured", tokens, with("admin", true), LiLei, ""},
		{"but where tokens are for development", dev, with("admin", true), Viewer{Username: "LiLei", Admin: true}, ""},
		{"and then it is true, and no text", dev, with("admin", "true"), Viewer{}, foreign},
		{"nor is it written otherwise", dev, with("Admin", true), LiLei, ""},

		{"a token ends when it says", tokens, hs256(fields{"sub": "LiLei", "exp": at + 1}), LiLei, ""},
		{"an expired token is refused", tokens, hs256(fields{"sub": "LiLei", "exp": at}), Viewer{}, "the token has expired: get a new one"},
		{"so is one that never expires", tokens, hs256(fields{"sub": "LiLei"}), Viewer{}, foreign},
		{"or says null of that", tokens, with("exp", nil), Viewer{}, foreign},
		{"or text", tokens, with("exp", itoa(soon)), Viewer{}, foreign},
		{"or would end before time began", tokens, with("exp", -1e18), Viewer{}, "the token has expired: get a new one"},
		{"or after time has ended", tokens, with("exp", 1e18), Viewer{}, foreign},
		{"or so late that it is before", tokens, with("exp", 1e300), Viewer{}, "the token has expired: get a new one"},
		{"so is one that begins so late that it is before", tokens, with("nbf", 1e300), Viewer{}, foreign},
		{"or that was made then", tokens, with("iat", 9.3e18), Viewer{}, foreign},
		{"or at no number of seconds", tokens, raw(`{"alg":"HS256"}`, `{"sub":"LiLei","exp":9e999}`, "x"), Viewer{}, foreign},
		{"so is one of the future", tokens, with("nbf", soon), Viewer{}, "the token is not valid yet"},
		{"and one that was made then", tokens, with("iat", soon), Viewer{}, "the token is not valid yet"},
		{"a clock may be five seconds ahead", tokens, with("nbf", at+5), LiLei, ""},
		{"and not six", tokens, with("nbf", at+6), Viewer{}, "the token is not valid yet"},
		{"so is one without a subject", tokens, hs256(fields{"exp": soon}), Viewer{}, foreign},
		{"so is a subject that can't be a username", tokens, with("sub", "a\x00b"), Viewer{}, foreign},
		{"nor many", tokens, with("sub", []string{"LiLei"}), Viewer{}, foreign},
		{"so is a subject written otherwise", tokens, hs256(fields{"Sub": "LiLei", "exp": soon}), Viewer{}, foreign},

		{"so is another secret's", tokens, forge(t, jose.HS256, []byte(strings.Repeat("x", 32)), nil, fields{"sub": "LiLei", "exp": soon}), Viewer{}, foreign},
		{"another algorithm of the same secret is refused", tokens,
			forge(t, jose.HS512, []byte(strings.Repeat("s", 64)), nil, fields{"sub": "LiLei", "exp": soon}), Viewer{}, foreign},
		{"no algorithm at all is refused", tokens, raw(`{"alg":"none"}`, unsigned, ""), Viewer{}, foreign},
		{"in whatever case", tokens, raw(`{"alg":"nOnE"}`, unsigned, "x"), Viewer{}, foreign},
		{"nor is there a token without one", tokens, raw(`{}`, unsigned, "x"), Viewer{}, foreign},
		{"nor one with two", tokens, raw(`{"alg":"none","alg":"HS256"}`, unsigned, "x"), Viewer{}, foreign},
		{"a header that names no algorithm, over a good signature, is refused", tokens,
			base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`)) + "." + parts[1] + "." + parts[2], Viewer{}, foreign},
		{"an extension that must be understood and is not is refused", tokens,
			forge(t, jose.HS256, secret, fields{"crit": []string{"exp"}, "exp": 1}, fields{"sub": "LiLei", "exp": soon}), Viewer{}, foreign},
		{"a key of the token's own is not trusted", tokens, forgeOwnKey(t, fields{"sub": "LiLei", "exp": soon}), Viewer{}, foreign},
		{"the name of a key says nothing of a secret", tokens,
			forge(t, jose.HS256, secret, fields{"kid": "../../../dev/null"}, fields{"sub": "LiLei", "exp": soon}), LiLei, ""},

		{"a changed claim is seen", tokens, parts[0] + "." + base64.RawURLEncoding.EncodeToString([]byte(unsigned)) + "." + parts[2], Viewer{}, foreign},
		{"a truncated token is refused", tokens, good[:len(good)-1], Viewer{}, foreign},
		{"a header alone is refused", tokens, parts[0], Viewer{}, foreign},
		{"a token without a signature is refused", tokens, parts[0] + "." + parts[1] + ".", Viewer{}, foreign},
		{"so is one of four parts", tokens, good + "." + parts[2], Viewer{}, foreign},
		{"and one of many", tokens, strings.Repeat(".", 8000), Viewer{}, foreign},
		{"and one in JSON", tokens, `{"payload":"` + parts[1] + `","protected":"` + parts[0] + `","signature":"` + parts[2] + `"}`, Viewer{}, foreign},
		{"a line break is no part of a token", tokens, good + "\n", Viewer{}, foreign},
		{"nor is padding", tokens, good + "=", Viewer{}, foreign},
		{"nothing is refused", tokens, "", Viewer{}, foreign},
		{"so is a huge token, unread", tokens, with("x", strings.Repeat("x", maxToken)), Viewer{}, foreign},
		{"and a deep one", tokens, raw(`{"alg":"HS256","x":`+strings.Repeat("[", 5000)+`}`, unsigned, "x"), Viewer{}, foreign},
		{"a server without a secret says that it takes no tokens", nil, good, Viewer{},
			"this server takes no tokens: it was started without --jwt-secret-file and --jwks"},
	} {
		v.check(t)
	}
}

// The last character of a signature has bits that say nothing: a token has one form all the same.
func TestATokenHasOneForm(t *testing.T) {
	good, _, err := tokens.Sign(Viewer{Username: "LiLei"})
	if err != nil {
		t.Fatal(err)
	}
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	for i := range good {
		for _, c := range alphabet {
			if other := good[:i] + string(c) + good[i+1:]; other != good {
				if viewer, _, err := tokens.Verify(t.Context(), other); err == nil {
					t.Fatalf("with %c in place %d of %d it is %v's", c, i, len(good), viewer)
				}
			}
		}
	}
}

func TestIssuerAndAudience(t *testing.T) {
	here := &Tokens{Secrets: tokens.Secrets, Issuer: "https://id.example", Audience: "twibase", Now: tokens.Now}
	token := func(issuer, audience any) string {
		return forge(t, jose.HS256, secret, nil, fields{"sub": "LiLei", "exp": now.Unix() + 60, "iss": issuer, "aud": audience})
	}
	LiLei := Viewer{Username: "LiLei"}
	for _, v := range []verdict{
		{"both are as asked for", here, token("https://id.example", "twibase"), LiLei, ""},
		{"there are other audiences", here, token("https://id.example", []string{"else", "twibase"}), LiLei, ""},
		{"another issuer", here, token("https://id.example/", "twibase"), Viewer{}, foreign},
		{"no issuer", here, token(nil, "twibase"), Viewer{}, foreign},
		{"an issuer that is many", here, token([]string{"https://id.example"}, "twibase"), Viewer{}, foreign},
		{"another audience", here, token("https://id.example", "Twibase"), Viewer{}, foreign},
		{"no audience", here, token("https://id.example", nil), Viewer{}, foreign},
		{"an audience that is nobody", here, token("https://id.example", []string{}), Viewer{}, foreign},
		{"whoever asks for neither takes any", tokens, token("https://id.example", "else"), LiLei, ""},
	} {
		v.check(t)
	}
}

// forgeOwnKey signs a token with a new key, and puts that into its header.
func forgeOwnKey(t *testing.T, claims fields) string {
	t.Helper()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: newES256(t)}, &jose.SignerOptions{EmbedJWK: true})
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

// published is a public key as a file has it.
func published(t testing.TB, key crypto.Signer) []byte {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
