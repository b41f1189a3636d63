//go:build !linux

package loadtest

// StartApart shares this program's processors, as they are assigned on Linux only.
func StartApart(start func() (*Gateway, error)) (g *Gateway, apart bool, err error) {
	g, err = start()
	return g, false, err
}
