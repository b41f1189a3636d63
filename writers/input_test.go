package writers

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestInvalidTextsAreUserErrors(t *testing.T) {
	const form = "an email address has the form name@example.org, and at most 254 bytes"
	const picture = "a URL is absolute, with http or https, without blanks or a user name, and has at most 2048 bytes"
	text := func(check func(*input, string, string) string) func(*input, string) string {
		return func(in *input, s string) string { return check(in, "f", s) }
	}
	name := func(in *input, s string) string { return in.line("f", s, MaxName) }
	comment := func(in *input, s string) string { return in.lines("f", s, MaxComment, false) }
	optionalText := func(check func(*input, *string) *string) func(*input, string) string {
		return func(in *input, s string) string {
			stored := *check(in, &s)
			for i := range in.errors {
				in.errors[i].Field = "f"
			}
			return stored
		}
	}
	key := optionalText((*input).idempotencyKey)
	midnight := time.Date(2024, 12, 31, 23, 59, 59, 0, time.FixedZone("west", -3600))
	day := func(in *input, s string) string { return in.day("f", s, midnight) }
	signingUp := func(in *input, s string) string { return in.newUsername("f", s, false) }
	byAdministrator := func(in *input, s string) string { return in.newUsername("f", s, true) }
	withPhotos := func(in *input, s string) string { return in.lines("f", s, MaxTwit, true) }
	twit := func(in *input, s string) string { return in.lines("f", s, MaxTwit, false) }
	for _, test := range []struct {
		reason string
		check  func(*input, string) string
		value  string
		want   string
		stored string
	}{
		{"username: any script", text((*input).username), "小红_1.-", "", ""},
		{"username: normalised", text((*input).username), "Ame\u0301lie", "", "Am\u00e9lie"},
		{"username: empty", text((*input).username), "", "a username has 1 to 64 characters, not 0", ""},
		{"username: 64 characters", text((*input).username), strings.Repeat("小", 64), "", ""},
		{"username: 65 characters", text((*input).username), strings.Repeat("小", 65),
			"a username has 1 to 64 characters, not 65", ""},
		{"username: blank", text((*input).username), "Li Lei", "it can't contain ' '", ""},
		{"username: slash", text((*input).username), "a/b", "it can't contain '/'", ""},
		{"username: invalid UTF-8", text((*input).username), "a\xff", "it is not valid UTF-8", ""},
		{"sign-up: reserved name", signingUp, "admin", `"admin" is reserved`, ""},
		{"sign-up: reserved name in upper case", signingUp, "ROOT", `"ROOT" is reserved`, ""},
		{"sign-up: name that contains a reserved one", signingUp, "admin2", "", ""},
		{"administrator: reserved name", byAdministrator, "support", "", ""},
		{"administrator: dots only", byAdministrator, "..", "a username has at least one letter or digit", ""},
		{"code: slashes and colons", text((*input).code), "k8s/sig:lead", "", ""},
		{"code: blank", text((*input).code), "a b", "it can't contain ' '", ""},
		{"code: 201 bytes", text((*input).code), strings.Repeat("a", 201), "a code has 1 to 200 bytes, not 201", ""},
		{"name: punctuation and emoji", name, "Ämelie 😀 O'Neil", "", ""},
		{"name: empty", name, "", "it must have 1 to 200 characters, and has 0", ""},
		{"name: blanks", name, " \u3000\u200b", "it has no visible character", ""},
		{"name: line break", name, "a\nb", "it can't contain the control character U+000A", ""},
		{"name: line separator", name, "a\u2028b", "it can't contain the control character U+2028", ""},
		{"name: direction override", name, "a\u202eb", "it can't contain the control character U+202E", ""},
		{"name: 201 characters", name, strings.Repeat("ä", 201), "it must have 1 to 200 characters, and has 201", ""},
		{"department name: 182 bytes", text((*input).departmentName), strings.Repeat("ä", 91),
			"a department's name has 1 to 180 bytes, not 182", ""},
		{"title: tab", optionalText((*input).title), "a\tb", "it can't contain the control character U+0009", ""},
		{"twit: lines", twit, "a\n\tb", "", ""},
		{"twit: line breaks are normalised", twit, "a\r\nb\rc", "", "a\nb\nc"},
		{"twit: control character", twit, "a\x00b", "it can't contain the control character U+0000", ""},
		{"twit: C1 control character", twit, "a\u0085b", "it can't contain the control character U+0085", ""},
		{"twit: blanks", twit, " \n", "it has no visible character", ""},
		{"twit: empty with photos", withPhotos, "", "", ""},
		{"twit: 10,001 characters", twit, strings.Repeat("😀", 10_001),
			"it must have 0 to 10000 characters, and has 10001", ""},
		{"comment: 2,001 characters", comment, strings.Repeat("😀", 2_001),
			"it must have 0 to 2000 characters, and has 2001", ""},
		{"idempotency key: control character", key, "a\x00", "it can't contain the control character U+0000", ""},
		{"idempotency key: 202 bytes", key, strings.Repeat("ä", 101), "a key has at most 200 bytes, not 202", ""},
		{"email: valid", text((*input).email), "li.lei+1@例子.example", "", ""},
		{"email: no mailbox", text((*input).email), "@example.org", form, ""},
		{"email: empty", text((*input).email), "", form, ""},
		{"email: two addresses", text((*input).email), "a@b.org, c@d.org", form, ""},
		{"email: display name", text((*input).email), "Li <a@b.org>", form, ""},
		{"email: header injection", text((*input).email), "a@b.org\r\nBcc: c@d.org", form, ""},
		{"email: too long", text((*input).email), strings.Repeat("a", 250) + "@b.org", form, ""},
		{"URL: valid", text((*input).url), "https://example.org/图.jpg?x=1#y", "", ""},
		{"URL: relative", text((*input).url), "/a.jpg", picture, ""},
		{"URL: javascript", text((*input).url), "javascript:alert(1)", picture, ""},
		{"URL: no host", text((*input).url), "https:///a.jpg", picture, ""},
		{"URL: password", text((*input).url), "https://a:b@example.org/", picture, ""},
		{"URL: two URLs", text((*input).url), "https://example.org/a https://example.org/b", picture, ""},
		{"URL: too long", text((*input).url), "https://example.org/" + strings.Repeat("a", 2048), picture, ""},
		{"password: normalised", text((*input).password), "passworte\u0301", "", "passwort\u00e9"},
		{"password: any characters", text((*input).password), "  \t 😀", "", ""},
		{"password: 7 bytes", text((*input).password), "1234567", "a password has 8 to 1024 bytes, not 7", ""},
		{"password: 1025 bytes", text((*input).password), strings.Repeat("a", 1025),
			"a password has 8 to 1024 bytes, not 1025", ""},
		{"day: not in the calendar", day, "2015-02-29", `"2015-02-29" is no day of the form 2014-12-25, from 1970 on`, ""},
		{"day: begun east of UTC", day, "2025-01-02", "", ""},
		{"day: in the future everywhere", day, "2025-01-03", `"2025-01-03" has not begun in any time zone`, ""},
	} {
		t.Run(test.reason, func(t *testing.T) {
			var in input
			stored := test.check(&in, test.value)
			if test.want != "" {
				if diff := cmp.Diff([]UserError{{BadInput, "f", test.want}}, in.errors); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				return
			}
			if test.stored == "" {
				test.stored = test.value
			}
			if len(in.errors) > 0 || stored != test.stored {
				t.Errorf("got %q, errors %v; want %q", stored, in.errors, test.stored)
			}
		})
	}
}

func TestNumbersOutOfRangeAreUserErrors(t *testing.T) {
	photos := func(in *input, n int) {
		urls := make([]string, n)
		for i := range urls {
			urls[i] = "https://example.org/"
		}
		in.photos("f", urls)
	}
	age := func(in *input, n int) { in.within("f", "an age", n, 0, MaxAge) }
	plays := func(in *input, n int) { in.within("f", "a count", n, 1, MaxPlays) }
	for _, test := range []struct {
		reason string
		check  func(*input, int)
		n      int
		want   string
	}{
		{"age 0", age, 0, ""},
		{"age 150", age, 150, ""},
		{"age 151", age, 151, "an age is a number from 0 to 150, not 151"},
		{"age -1", age, -1, "an age is a number from 0 to 150, not -1"},
		{"1 play", plays, 1, ""},
		{"1,000,000 plays", plays, 1_000_000, ""},
		{"1,000,001 plays", plays, 1_000_001, "a count is a number from 1 to 1000000, not 1000001"},
		{"0 plays", plays, 0, "a count is a number from 1 to 1000000, not 0"},
		{"0 photos", photos, 0, ""},
		{"9 photos", photos, 9, ""},
		{"10 photos", photos, 10, "there are at most 9 photos, not 10"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			var in input
			test.check(&in, test.n)
			var want []UserError
			if test.want != "" {
				want = []UserError{{BadInput, "f", test.want}}
			}
			if diff := cmp.Diff(want, in.errors); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestValidationReportsAllFields(t *testing.T) {
	var in input
	in.newUsername("username", "a b", false)
	in.line("name", "", MaxName)
	in.email("email", "a@example.org")
	in.within("age", "an age", -1, 0, MaxAge)
	in.password("password", "short")
	in.photos("photoUrls", []string{"https://example.org/1", "ftp://example.org/2", "3"})
	want := []UserError{
		{BadInput, "username", "it can't contain ' '"},
		{BadInput, "name", "it must have 1 to 200 characters, and has 0"},
		{BadInput, "age", "an age is a number from 0 to 150, not -1"},
		{BadInput, "password", "a password has 8 to 1024 bytes, not 5"},
		{BadInput, "photoUrls.1", fmt.Sprintf(urlRule, MaxURL)},
		{BadInput, "photoUrls.2", fmt.Sprintf(urlRule, MaxURL)},
	}
	if diff := cmp.Diff(want, in.errors); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
