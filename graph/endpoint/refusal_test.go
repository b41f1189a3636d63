package endpoint

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestBatchIsRefusedWithAnErrorForEachRequest(t *testing.T) {
	const one, media = `{"query":"{viewer{name}}"}`, "application/json"
	const refused = `{"errors":[{"message":"requests can't be batched: send one request at a time","extensions":{"code":"BAD_USER_INPUT"}}]}`
	const tooMany = `{"errors":[{"message":"requests can't be batched: send one request at a time; the array has more than 50, so this is the only error",` +
		`"extensions":{"code":"BAD_USER_INPUT"}}]}`
	malformed := func(why string) string {
		return `{"errors":[{"message":"the body is not the JSON object of a GraphQL request: ` + why + `","extensions":{"code":"BAD_USER_INPUT"}}]}`
	}
	batch := func(n int) string { return "[" + strings.Repeat(one+",", n-1) + one + "]" }
	errors := func(n int) string { return "[" + strings.Repeat(refused+",", n-1) + refused + "]" }
	endpoint := serve(time.Minute)
	for _, test := range []struct {
		name, body, accept string
		status             int
		want               string
	}{
		{"one request", batch(1), media, 200, errors(1)},
		{"two requests", batch(2), media, 200, errors(2)},
		{"to a client that accepts anything", batch(2), "*/*", 200, errors(2)},
		{"by its status to a client that accepts the newer media type", batch(3), graphQLResponse, 400, errors(3)},
		{"as Apollo's client asks for it", batch(2), "application/graphql-response+json,application/json;q=0.9", 400, errors(2)},
		{"with blanks around it", "\r\n\t " + batch(2) + "\n", media, 200, errors(2)},
		{"whatever the elements are", `[1,null,"x",[{}],{"query":5}]`, media, 200, errors(5)},
		{"as many requests as the bound", batch(maxBatch), media, 200, errors(maxBatch)},
		{"more requests than the bound", batch(maxBatch + 1), media, 400, tooMany},
		{"100,000 requests", "[" + strings.Repeat("{},", 99_999) + "{}]", media, 400, tooMany},
		{"a megabyte that does not end", "[" + strings.Repeat("0,", maxBody/2-1), media, 400, tooMany},
		{"no request", `[]`, media, 400, malformed("it is an empty array")},
		{"half a batch", "[" + one, media, 400, malformed("it ends too early")},
		{"what follows a batch", batch(1) + one, media, 400, malformed("something follows it")},
		{"what is no JSON", `[secret]`, media, 400, malformed("invalid JSON after byte 1")},
		{"what nests too deep", strings.Repeat("[", 20_000), media, 400, malformed("invalid JSON after byte 1")},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			endpoint.ServeHTTP(w, with(post(test.body), "Accept", test.accept))
			if got := strings.TrimSpace(w.Body.String()); w.Code != test.status || got != test.want {
				t.Errorf("status %d, want %d: %s\nwant %s", w.Code, test.status, got, test.want)
			}
			if w.Body.Len() > 8<<10 {
				t.Errorf("the response has %d bytes", w.Body.Len())
			}
		})
	}
}

func TestRefusingALongBatchCostsNoMemory(t *testing.T) {
	endpoint, body := serve(time.Minute), "["+strings.Repeat(`{"query":""},`, 80_000)+"{}]"
	few, many := testing.AllocsPerRun(10, func() {
		endpoint.ServeHTTP(httptest.NewRecorder(), post(`[`+strings.Repeat(`{"query":""},`, maxBatch)+`{}]`))
	}), testing.AllocsPerRun(10, func() { endpoint.ServeHTTP(httptest.NewRecorder(), post(body)) })
	if many > few+100 {
		t.Errorf("%v allocations, and %v for a batch just above the bound", many, few)
	}
}
