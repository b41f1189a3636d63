package playground

import (
	"compress/gzip"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strings"
)

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
