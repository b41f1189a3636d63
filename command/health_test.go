package command

import (
	"net"
	"strings"
	"testing"
)

func TestHealthHasTheStatusOfItsURL(t *testing.T) {
	url, _ := started(t)
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	for _, test := range []struct {
		url, stdout, stderr string
		status              int
	}{
		{url + "/readyz", "OK\n", "", statusOK},
		{url + "/nowhere", "", url + "/nowhere: 404 Not Found: ", statusFailed},
		{"http://" + closed.Addr().String(), "", "connection refused", statusFailed},
		{strings.Replace(url, "//", "//me:secret@", 1) + "/nowhere", "", "//me:xxxxx@", statusFailed},
		{"ftp://a", "", "the URL must have a scheme and a host, as in http://", statusUsage},
	} {
		t.Run(test.url, func(t *testing.T) {
			status, stdout, stderr := command(t, "health", test.url)
			if status != test.status || stdout != test.stdout || !strings.Contains(stderr, test.stderr) {
				t.Errorf("status %d, %s%s", status, stdout, stderr)
			}
		})
	}
}
