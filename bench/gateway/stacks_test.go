package gateway

import "testing"

func TestStacksThatAreTheSameAreCountedAsOne(t *testing.T) {
	const report = `SIGQUIT: quit
PC=0x47 m=0 sigcode=0

goroutine 7 gp=0xc0 m=nil [select, 2 minutes]:
main.wait(0xc000, {0x1, 0x2})
	/home/a/main.go:12 +0x1d fp=0xc0 sp=0xc0 pc=0x4
created by main.(*server).start in goroutine 1
	/home/a/main.go:3 +0x2

goroutine 9 gp=0xc1 m=nil [IO wait]:
main.read(...)
	/home/a/read.go:5

goroutine 8 gp=0xc2 m=nil [select]:
main.wait(0xc001, {0x1, 0x2})
	/home/a/main.go:12 +0x1d fp=0xc1 sp=0xc1 pc=0x4
created by main.(*server).start in goroutine 17
	/home/a/main.go:3 +0x2

rax    0x0
`
	const want = `2 × select
	main.wait main.go:12
	created by main.(*server).start main.go:3

1 × IO wait
	main.read read.go:5

`
	if got := grouped(report); got != want {
		t.Errorf("%s\nand should be\n%s", got, want)
	}
}
