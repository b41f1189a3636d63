package loadtest

import "testing"

const before = `goroutine profile: total 4
2 @ 0x4 0x5 0x6
#	0x4	main.wait+0x1d	/home/a/main.go:12
#	0x5	main.(*server).start.func1+0x2	/home/a/main.go:3

1 @ 0x4 0x5
#	0x4	main.other+0x1	/home/a/main.go:15
#	0x5	main.(*server).start.func1+0x8	/home/a/main.go:4

1 @ 0x7
#	0x7	main.main+0x5	/home/a/main.go:5
`

func TestGoroutinesAreGroupedByFirstFunction(t *testing.T) {
	if n := groupByStart(before)["main.(*server).start.func1"].Number; n != 3 {
		t.Errorf("got %d goroutines, want 3", n)
	}
	const now = `goroutine profile: total 4
3 @ 0x4 0x5
#	0x4	main.other+0x1	/home/a/main.go:15
#	0x5	main.(*server).start.func1+0x8	/home/a/main.go:4

1 @ 0x9
#	0x9	main.leak+0x5	/home/a/main.go:6

`
	const want = `goroutines of main.leak: 0 before, 1 now:
1 @ 0x9
#	0x9	main.leak+0x5	/home/a/main.go:6

`
	if got := groupByStart(now).More(groupByStart(before)); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}
