//go:build !linux

package loadtest

// StartApart separates the processors only on Linux.
func StartApart(start func() (*Gateway, error)) (g *Gateway, apart bool, err error) {
	g, err = start()
	return g, false, err
}
