package minihbase

import (
	"context"
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

var ErrMissing = errors.New("a real HBase needs java (17) and mvn (3.8) on the PATH")

//go:embed recipe
var recipe embed.FS

const copyDependencies = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies"

// JVM returns HBase's JVM options, which Java clients also need.
func JVM() ([]string, error) {
	options, err := recipe.ReadFile("recipe/jvm.args")
	return strings.Fields(string(options)), err
}

// A process tries once to write the archive.
var archiving sync.Once

// The name of the jars' folder has the pom's hash.
func jars(ctx context.Context) (string, error) {
	if _, err := exec.LookPath("java"); err != nil {
		return "", fmt.Errorf("%w: %w", ErrMissing, err)
	}
	pom, err := recipe.ReadFile("recipe/pom.xml")
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	lib := filepath.Join(cache, "twibase", fmt.Sprintf("hbase-%x", sha256.Sum256(pom))[:18])
	if exists(archive(lib)) {
		return lib, nil
	}
	if err := os.MkdirAll(filepath.Dir(lib), 0o755); err != nil {
		return "", err
	}
	unlock, err := Lock(ctx, lib+".lock")
	if err != nil {
		return "", err
	}
	defer unlock()
	if !exists(lib) {
		if err := fetch(ctx, lib); err != nil {
			return "", err
		}
	}
	if !exists(archive(lib)) {
		archiving.Do(func() {
			if err := writeArchive(ctx, lib); err != nil {
				fmt.Fprintf(os.Stderr, "minihbase: HBase starts slowly, without an archive of its classes: %v\n", err)
			}
		})
	}
	return lib, nil
}

func fetch(ctx context.Context, lib string) error {
	if _, err := exec.LookPath("mvn"); err != nil {
		return fmt.Errorf("%w: %w", ErrMissing, err)
	}
	work, err := os.MkdirTemp(filepath.Dir(lib), "fetch-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if err := writeRecipe(work); err != nil {
		return err
	}
	got := filepath.Join(work, "lib")
	mvn := exec.CommandContext(ctx, "mvn", "-B", "-ntp", "-q", "-f", filepath.Join(work, "pom.xml"),
		copyDependencies, "-DincludeScope=runtime", "-DoutputDirectory="+got)
	mvn.WaitDelay = time.Second
	if out, err := mvn.CombinedOutput(); err != nil {
		return fmt.Errorf("minihbase: mvn could not fetch HBase's jars: %w\n%s", err, out)
	}
	return os.Rename(got, lib)
}

// Lock waits until no other process has locked the file, and creates it if necessary. The operating
// system unlocks the file when the process ends.
func Lock(ctx context.Context, name string) (unlock func(), err error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	for {
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err == nil {
			return func() { f.Close() }, nil
		} else if err != syscall.EWOULDBLOCK && err != syscall.EINTR {
			f.Close()
			return nil, err
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, fmt.Errorf("waiting for the process that has locked %s: %w", name, ctx.Err())
		case <-time.After(200 * time.Millisecond):
		}
	}
}

func writeRecipe(dir string) error {
	root, err := fs.Sub(recipe, "recipe")
	if err != nil {
		return err
	}
	return fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := filepath.Join(dir, name)
		if d.IsDir() {
			return os.MkdirAll(to, 0o755)
		}
		content, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		return os.WriteFile(to, content, 0o644)
	})
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
