//go:build !linux

package loadtest

// StartApart starts the gateway on the processors of this program. Only Linux separates them.
func StartApart(start func() (*Gateway, error)) (g *Gateway, apart bool, err error) {
	g, err = start()
	return g, false, err
}
