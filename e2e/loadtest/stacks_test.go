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

func TestGoroutinesAreToldByWhereTheyBegan(t *testing.T) {
	if n := grouped(before)["main.(*server).start.func1"].Number; n != 3 {
		t.Errorf("%d began there", n)
	}
	const now = `goroutine profile: total 4
3 @ 0x4 0x5
#	0x4	main.other+0x1	/home/a/main.go:15
#	0x5	main.(*server).start.func1+0x8	/home/a/main.go:4

1 @ 0x9
#	0x9	main.leak+0x5	/home/a/main.go:6

`
	const want = `0 goroutines of main.leak have become 1:
1 @ 0x9
#	0x9	main.leak+0x5	/home/a/main.go:6

`
	if got := grouped(now).More(grouped(before)); got != want {
		t.Errorf("%s\nand should be\n%s", got, want)
	}
}
