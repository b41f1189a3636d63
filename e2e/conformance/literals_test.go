package conformance

var literals = []string{
	`1`, `-1`, `1.0`, `1e2`, `1.5`, `0`, `2147483647`, `2147483648`, `-2147483649`, `99999999999999999999`,
	`1e400`, `"1"`, `"true"`, `""`, `"PUBLIC"`, `"""block"""`, `true`, `false`, `null`, `PUBLIC`, `public`,
	`Public`, `NOTHING`, `[]`, `[[]]`, `[null]`, `[1]`, `["a"]`, `[["a"]]`, `{}`, `{a:1}`, `[{}]`, `{a:{}}`,
	`"2014-02-30"`, `"2014-12-25"`, `"1969-12-31"`, `"2014-1-1"`, `"https://example.org"`,
	`"ftp://example.org"`, `"/path"`, `"https://"`, `"example.org"`, `{username:"a"}`, `{__typename:"X"}`,
}

var (
	dates = []string{
		`2014-12-25`, `2016-02-29`, `2015-02-29`, `2000-02-29`, `1900-02-29`, `1970-01-01`, `1969-12-31`,
		`9999-12-31`, `10000-01-01`, `0000-01-01`, ` 2014-12-25`, `2014-12-25 `, `2014-12-25T00:00:00Z`,
		`2014-00-01`, `2014-13-01`, `2014-1-1`, `2014-01-32`, `2014-01-00`, `20141225`, `2014/12/25`,
		`-2014-12-25`, `+2014-12-25`, `14-12-25`, `２０１４-12-25`, `2014-12-25Z`, `today`, ``,
	}
	urls = []string{
		`https://example.org`, `http://example.org/`, `HTTPS://example.org`, `https://example.org/a b`,
		`https://exa mple.org`, `https://example.org:80/a?b=c&d#e`, `https://:80`, `https://`, `https:///a`,
		`https://?a`, `https://#a`, `https://a:b@example.org`, `https://a@b@example.org`,
		`https://example.org:port`, `https://example.org:`, `https://example.org:99999`, `javascript:alert(1)`,
		`ftp://example.org`, `//example.org`, `/path`, `path`, `https:/example.org`, `https:example.org`,
		`https://小红.example/小红.jpg`, `https://example.org/%zz`, `https://example.org/%41`,
		`https://example.org?%zz`, `https://example.org?a=%41#`, `https://[::1]/`, `https://[::1`,
		`https://[zz]/`, `https://::1/`, "https://example.org/\n", ` https://example.org`,
		`https://example.org `, `https://<a>/`, `https://example.org/<a>`, `https://example.org/"a"`,
		`https://example.org/\a`, `https://example.org\a`, `https://exa%41mple.org`, `https://127.0.0.1`,
		`https://a_b.org`, `https://.`, `data:,a`, ``,
	}
)

var jsonValues = []string{
	`null`, `true`, `false`, `0`, `1`, `-1`, `5`, `1.0`, `1e2`, `1.50`, `1.5`, `-0`, `-0.0`, `2147483647`,
	`2147483648`, `-2147483648`, `-2147483649`, `9007199254740993`, `1e20`, `1E400`, `"1"`, `"5"`, `"true"`,
	`""`, `"a"`, `"PUBLIC"`, `"public"`, `"Followers"`, `"NOTHING"`, `[]`, `[[]]`, `[null]`, `[1]`, `["a"]`,
	`[["a"]]`, `[["a"],null]`, `{}`, `{"a":1}`, `[{}]`, `{"__typename":"X"}`, `"2014-02-30"`, `"2014-12-25"`,
	`"1969-12-31"`, `"2014-12-25T00:00:00Z"`, `"https://example.org"`, `"ftp://example.org"`, `"/path"`,
	`"https://"`, `{"content":"a"}`, `{"content":null}`, `"2015-02-29"`, `" 2014-12-25"`,
	`"HTTPS://example.org"`, `"https://example.org/a b"`, `"https://:80"`, `"//example.org"`,
	`"https:/example.org"`, `"https://小红.example/小红.jpg"`,
}
