// Package playground serves the GraphiQL IDE, whose source is in ide. It is a package for the files
// that it embeds.
package playground

import (
	"bytes"
	"compress/gzip"
	"embed"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strings"
)

// dist is empty before make build, so that go build needs no Node.
//
//go:embed all:dist
var dist embed.FS

//go:embed unbuilt.html
var unbuilt []byte

// policy restricts the page to its own server. Monaco needs 'unsafe-inline' for style elements.
// Fonts and icons are data: URLs.
const policy = "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self' 'unsafe-inline'; " +
	"font-src data:; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Handler serves the IDE at / and its scripts under /assets/. If actsAs returns true, the page can
// act as any user.
func Handler(actsAs func(*http.Request) bool) http.Handler {
	built, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err)
	}
	return handler(built, actsAs)
}

func handler(built fs.FS, actsAs func(*http.Request) bool) http.Handler {
	page, err := fs.ReadFile(built, "index.html")
	if err != nil {
		page = unbuilt
	}
	acting := bytes.Replace(page, []byte("<body>"), []byte("<body data-act-as>"), 1)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Cache-Control", "no-cache")
		if actsAs(r) {
			w.Write(acting)
		} else {
			w.Write(page)
		}
	})
	mux.Handle("GET /assets/{name}", assets{built})
	return withSecurityHeaders(mux)
}

func withSecurityHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Referrer-Policy", "no-referrer")
		next.ServeHTTP(w, r)
	})
}

// contentTypes are fixed, because those of package mime depend on the system.
var contentTypes = map[string]string{
	".js":  "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8",
}

type assets struct{ built fs.FS }

func (a assets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	file, err := a.built.Open("assets/" + name + ".gz")
	if err != nil {
		http.NotFound(w, r)
		return
	}
	defer file.Close()

	header := w.Header()
	header.Set("Content-Type", contentTypes[path.Ext(name)])
	header.Set("Cache-Control", "public, max-age=31536000, immutable") // the name holds a hash of the content
	header.Set("Vary", "Accept-Encoding")
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		header.Set("Content-Encoding", "gzip")
		io.Copy(w, file)
		return
	}
	plain, err := gzip.NewReader(file)
	if err != nil {
		http.Error(w, "the IDE in this binary is broken: run make build again", http.StatusInternalServerError)
		return
	}
	io.Copy(w, plain)
}
