package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"twibase/e2e/loadtest"
)

type workspace struct {
	dir     string
	servers []*loadtest.Gateway
}

func newWorkspace() (*workspace, error) {
	dir, err := os.MkdirTemp("", "bench-")
	return &workspace{dir: dir}, err
}

func (p *workspace) path(name string) string { return filepath.Join(p.dir, name) }

// stop ignores errors: the measurements are done.
func (p *workspace) stop() {
	for _, s := range p.servers {
		_ = s.Stop()
	}
	p.servers = nil
}

func (p *workspace) close() {
	p.stop()
	_ = os.RemoveAll(p.dir)
}

func (p *workspace) twibase(ctx context.Context, store string, flags ...string) (*loadtest.Gateway, error) {
	program, err := p.build(ctx)
	if err != nil {
		return nil, err
	}
	return p.serve(ctx, program, store, flags...)
}

func (p *workspace) build(ctx context.Context) (program string, err error) {
	return p.buildAs(ctx, "twibase")
}

func (p *workspace) buildAs(ctx context.Context, name string, flags ...string) (program string, err error) {
	program = p.path(name)
	args := append([]string{"-C", "..", "build", "-trimpath", "-o", program}, flags...)
	build := exec.CommandContext(ctx, "go", append(args, ".")...)
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return program, nil
}

func (p *workspace) importUsers(ctx context.Context, users, follows *bytes.Buffer) (program, store string, err error) {
	if program, err = p.build(ctx); err != nil {
		return "", "", err
	}
	store = "embedded:" + p.path("store")
	for name, text := range map[string]*bytes.Buffer{"users.csv": users, "follows.csv": follows} {
		if err := os.WriteFile(p.path(name), text.Bytes(), 0o600); err != nil {
			return "", "", err
		}
	}
	load := exec.CommandContext(ctx, program, "import", "--store", store, p.path("users.csv"), p.path("follows.csv"))
	if out, err := load.CombinedOutput(); err != nil {
		return "", "", fmt.Errorf("import: %w\n%s", err, out)
	}
	return program, store, nil
}

func (p *workspace) serve(ctx context.Context, program, store string, flags ...string) (*loadtest.Gateway, error) {
	file := p.path("secret")
	if err := os.WriteFile(file, secret, 0o600); err != nil {
		return nil, err
	}
	args := []string{"serve", "--listen", "127.0.0.1:0", "--store", store, "--jwt-secret-file", file}
	return p.start(ctx, program, append(args, flags...)...)
}

func (p *workspace) serveDataset(ctx context.Context, by string) (*loadtest.Gateway, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return p.start(ctx, program, serveCommand, by)
}

func (p *workspace) start(ctx context.Context, program string, args ...string) (*loadtest.Gateway, error) {
	g, err := loadtest.Start(ctx, program, args...)
	if err == nil {
		p.servers = append(p.servers, g)
	}
	return g, err
}
