//go:build !linux

package loadtest

// Apart starts a gateway. It shares the processors with this program: they are assigned on Linux alone.
func Apart(start func() (*Gateway, error)) (g *Gateway, apart bool, err error) {
	g, err = start()
	return g, false, err
}
