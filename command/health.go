package command

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// healthTimeout exceeds the timeout of /readyz.
const healthTimeout = 2 * time.Second

type healthCommand struct {
	URL string `arg:"" optional:"" default:"http://127.0.0.1:8080/readyz" help:"URL of /readyz or /healthz (default: ${default})."`
}

// Validate returns an error without the URL, which may have a password.
func (c *healthCommand) Validate() error {
	u, err := url.Parse(c.URL)
	return require(err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https"),
		"the URL must have a scheme and a host, as in http://127.0.0.1:8080/readyz")
}

func (c *healthCommand) Run(ctx context.Context, p process) error {
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.URL, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, 1<<10))
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s: %s", r.URL.Redacted(), response.Status, strings.TrimSpace(string(text)))
	}
	fmt.Fprintln(p.stdout, "OK")
	return nil
}
