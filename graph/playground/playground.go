// Package playground serves GraphiQL, the IDE in which a person explores the graph. It is built into the binary whole,
// and no page of it asks another machine for anything.
package playground

import (
	"compress/gzip"
	"embed"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strings"
)

// dist is what ide/build.mjs made. It is empty but for .gitkeep in a checkout where `make build` has not run, so that
// `go build` needs no Node.
//
//go:embed all:dist
var dist embed.FS

//go:embed unbuilt.html
var unbuilt []byte

// policy lets the page talk to the server that it came from, and to nobody else. Monaco, the editor inside GraphiQL,
// writes its themes into style elements, hence 'unsafe-inline' for styles; scripts and workers come from files alone.
// Fonts and icons are data: URLs inside the style sheet.
const policy = "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self' 'unsafe-inline'; " +
	"font-src data:; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Handler serves the IDE at / and its scripts under /assets/. In a binary that was built without it, / is a page that says
// how to get it. It is safe for concurrent use.
func Handler() http.Handler {
	built, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // "dist" is a valid path
	}
	return handler(built)
}

func handler(built fs.FS) http.Handler {
	page, err := fs.ReadFile(built, "index.html")
	if err != nil {
		page = unbuilt
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Cache-Control", "no-cache")
		w.Write(page)
	})
	mux.Handle("GET /assets/{name}", assets{built})
	return guarded(mux)
}

// guarded sets the headers that keep a page to itself on every answer of next.
func guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Referrer-Policy", "no-referrer")
		next.ServeHTTP(w, r)
	})
}

// contentTypes are those of the build's files. The system's table is not asked: it differs from machine to machine, and
// with nosniff a script of the wrong type does not run.
var contentTypes = map[string]string{
	".js":  "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8",
}

// assets serves the files of assets/, which the build compressed once: a client that takes gzip gets their bytes as they are.
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
