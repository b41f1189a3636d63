package main

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// optimisation is code that only saves time. Its diffs remove it. Diffs may not share files.
type optimisation struct {
	name  string // of its diffs, joined by blanks
	query string // one that it saves much of
	flags []string
}

var optimisations = []optimisation{
	{name: "arena", query: "reference", flags: uncached},
	{name: "ballast", query: "reference"},
	{name: "batch-stack", query: "1-deep"},
	{name: "constant-arguments", query: "3-aliases"},
	{name: "heap-profile", query: "reference"},
	{name: "late-guard", query: "reference"},
	{name: "lazy-users", query: "reference"},
	{name: "memos", query: "reference"},
	{name: "near-columns", query: "9-twits"},
	{name: "response-buffers", query: "reference"},
	{name: "same-rows", query: "reference"},
	{name: "scan-buffers", query: "reference"},
	{name: "slabs", query: "7-subtree"},
	{name: "task-stack", query: "3-aliases"},
	{name: "uncopied-pages", query: "reference"},
	{name: "unions", query: "reference"},
	{name: "heap-profile late-guard same-rows scan-buffers", query: "reference"},
}

//go:embed without
var diffs embed.FS

// without compares the program without an optimisation with this tree's, for each of them.
func without(ctx context.Context, w *dataset) error {
	t := newTable("What optimisations save: embedded store, HTTP included, one connection",
		append([]string{"optimisation", "query", "CPU per request: with it", "without"}, outcomeColumns...)...)
	for _, o := range optimisations {
		if err := o.measure(ctx, w, t); err != nil {
			return fmt.Errorf("%s: %w", o.name, err)
		}
	}
	t.end()
	return nil
}

func (o optimisation) measure(ctx context.Context, w *dataset, t table) error {
	p, err := newWorkspace()
	if err != nil {
		return err
	}
	defer p.close()
	with, err := p.build(ctx)
	if err != nil {
		return err
	}
	program, err := p.buildWithout(ctx, strings.Fields(o.name)...)
	if err != nil {
		return err
	}
	d, err := p.newDuel(ctx, w, [2]string{with, program}, o.flags...)
	if err != nil {
		return err
	}
	queries := w.queries()
	r, err := d.run(queries[slices.IndexFunc(queries, func(q *query) bool { return q.name == o.query })])
	if err != nil {
		return err
	}
	t.row(append([]string{o.name, o.query}, r.cells()...)...)
	return nil
}

// buildWithout applies diffs to copies of their files, and builds the program with the copies.
func (p *workspace) buildWithout(ctx context.Context, names ...string) (program string, err error) {
	dir, replaced := p.path("changed"), map[string]string{}
	for _, name := range names {
		diff, err := diffs.ReadFile("without/" + name + ".diff")
		if err != nil {
			return "", err
		}
		for _, match := range changedFile.FindAllSubmatch(diff, -1) {
			original, err := filepath.Abs(filepath.Join("..", string(match[1])))
			if err != nil {
				return "", err
			}
			if replaced[original] != "" { // the second diff would need the file as it was
				return "", fmt.Errorf("%s.diff: another diff changes %s", name, match[1])
			}
			replaced[original] = filepath.Join(dir, string(match[1]))
			if err := copyFile(replaced[original], original); err != nil {
				return "", err
			}
		}
		apply := exec.CommandContext(ctx, "git", "apply", "-")
		apply.Dir, apply.Stdin = dir, bytes.NewReader(diff)
		if out, err := apply.CombinedOutput(); err != nil {
			return "", fmt.Errorf("git apply %s.diff: %w\n%s", name, err, out)
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(p.path("overlay.json"), overlay, 0o600); err != nil {
		return "", err
	}
	return p.buildAs(ctx, "without", "-overlay", p.path("overlay.json"))
}

var changedFile = regexp.MustCompile(`(?m)^--- a/(.*)$`)

func copyFile(to, from string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o600)
}
