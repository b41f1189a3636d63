package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"twibase/e2e/loadtest"
)

// place is a folder for what servers need, and the servers that were started in it.
type place struct {
	dir     string
	servers []*loadtest.Gateway
}

func newPlace() (*place, error) {
	dir, err := os.MkdirTemp("", "bench-")
	return &place{dir: dir}, err
}

// path returns the path of something in the folder.
func (p *place) path(name string) string { return filepath.Join(p.dir, name) }

// stop ends the servers and waits for them. How they end is not what is measured.
func (p *place) stop() {
	for _, s := range p.servers {
		_ = s.Stop()
	}
	p.servers = nil
}

// leave ends the servers and removes the folder.
func (p *place) leave() {
	p.stop()
	_ = os.RemoveAll(p.dir)
}

// twibase builds twibase and starts it over a store.
func (p *place) twibase(ctx context.Context, store string, flags ...string) (*loadtest.Gateway, error) {
	program, err := p.build(ctx)
	if err != nil {
		return nil, err
	}
	return p.serve(ctx, program, store, flags...)
}

func (p *place) build(ctx context.Context) (program string, err error) {
	program = p.path("twibase")
	// The product's module knows what its program needs; this one does not.
	build := exec.CommandContext(ctx, "go", "-C", "..", "build", "-trimpath", "-o", program, ".")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return program, nil
}

func (p *place) serve(ctx context.Context, program, store string, flags ...string) (*loadtest.Gateway, error) {
	file := p.path("secret")
	if err := os.WriteFile(file, secret, 0o600); err != nil {
		return nil, err
	}
	return p.start(ctx, program, append([]string{"serve", "--listen", "127.0.0.1:0", "--store", store, "--jwt-secret-file", file}, flags...)...)
}

// world starts this program again, as a server over a world in memory.
func (p *place) world(ctx context.Context, by string) (*loadtest.Gateway, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return p.start(ctx, program, serving, by)
}

func (p *place) start(ctx context.Context, program string, args ...string) (*loadtest.Gateway, error) {
	g, err := loadtest.Start(ctx, program, args...)
	if err == nil {
		p.servers = append(p.servers, g)
	}
	return g, err
}
