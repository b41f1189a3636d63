package main

import "runtime"

// ballast is how much the garbage collector is made to believe is in use, in bytes. It lets the heap grow to twice what is in use, and a gateway
// has little in use between requests: it would collect at every second or third of them, and spend as much on that as on the answers. Nobody
// writes to ballast, so the system gives it no memory; what it costs is as much garbage again as it is great, kept for longer.
const ballast = 24 << 20

// loadBallast returns what gives the ballast away. It is called before all else: memory that something else had before would be cleared, and so
// be taken.
func loadBallast() (unload func()) {
	bytes := make([]byte, ballast)
	return func() { runtime.KeepAlive(&bytes[0]) }
}
