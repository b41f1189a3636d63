package writers

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestValidation(t *testing.T) {
	const form = "an email address has the form name@example.org, and at most 254 bytes"
	const picture = "a URL is absolute, with http or https, without blanks and a password, and has at most 2048 bytes"
	text := func(check func(*input, string, string) string) func(*input, string) string {
		return func(in *input, s string) string { return check(in, "f", s) }
	}
	optionalText := func(check func(*input, *string) *string) func(*input, string) string {
		return func(in *input, s string) string {
			stored := *check(in, &s)
			for i := range in.errors {
				in.errors[i].Field = "f"
			}
			return stored
		}
	}
	midnight := time.Date(2024, 12, 31, 23, 59, 59, 0, time.FixedZone("west", -3600)) // it is the 1st of January in UTC
	day := func(in *input, s string) string { return in.day("f", s, midnight) }
	signingUp := func(in *input, s string) string { return in.newUsername("f", s, false) }
	byAdministrator := func(in *input, s string) string { return in.newUsername("f", s, true) }
	withPhotos := func(in *input, s string) string { return in.twit("f", s, true) }
	twit := func(in *input, s string) string { return in.twit("f", s, false) }
	for _, test := range []struct {
		reason string
		check  func(*input, string) string
		value  string
		want   string // the problem's message, empty if all is well
		stored string // empty if it is the value
	}{
		{"letters of any script name a user", text((*input).username), "小红_1.-", "", ""},
		{"a name is normalised", text((*input).username), "Ame\u0301lie", "", "Am\u00e9lie"},
		{"a name needs a character", text((*input).username), "", "a username has 1 to 64 characters, not 0", ""},
		{"a name is counted in characters", text((*input).username), strings.Repeat("小", 64), "", ""},
		{"and has 64 of them at most", text((*input).username), strings.Repeat("小", 65), "a username has 1 to 64 characters, not 65", ""},
		{"a blank is no part of a name", text((*input).username), "Li Lei", "it can't contain ' '", ""},
		{"a slash is none either", text((*input).username), "a/b", "it can't contain '/'", ""},
		{"what is not UTF-8 is refused", text((*input).username), "a\xff", "it is not valid UTF-8", ""},
		{"nobody signs up as the administrator", signingUp, "admin", `"admin" is reserved`, ""},
		{"in whatever case", signingUp, "ROOT", `"ROOT" is reserved`, ""},
		{"but may by a name that has it in it", signingUp, "admin2", "", ""},
		{"an administrator gives reserved names too", byAdministrator, "support", "", ""},
		{"dots alone are a way through folders, and no name", byAdministrator, "..", "a username has a letter or a digit in it", ""},
		{"a code has slashes and colons", text((*input).code), "k8s/sig:lead", "", ""},
		{"but no blanks", text((*input).code), "a b", "it can't contain ' '", ""},
		{"nor more than 200 bytes", text((*input).code), strings.Repeat("a", 201), "a code has 1 to 200 bytes, not 201", ""},
		{"a name that is shown may be anything", text((*input).name), "Ämelie 😀 O'Neil", "", ""},
		{"but nothing", text((*input).name), "", "it has 1 to 200 characters, not 0", ""},
		{"a name of blanks shows nothing", text((*input).name), " \u3000\u200b", "it shows nothing", ""},
		{"a name is one line", text((*input).name), "a\nb", "it can't contain the control character U+000A", ""},
		{"whatever breaks the line", text((*input).name), "a\u2028b", "it can't contain the control character U+2028", ""},
		{"a name does not write backwards what follows", text((*input).name), "a\u202eb", "it can't contain the control character U+202E", ""},
		{"a name has 200 characters at most", text((*input).name), strings.Repeat("ä", 201), "it has 1 to 200 characters, not 201", ""},
		{"a department's name is counted in bytes", text((*input).departmentName), strings.Repeat("ä", 91),
			"a department's name has 1 to 180 bytes, not 182", ""},
		{"a title is one line", optionalText((*input).title), "a\tb", "it can't contain the control character U+0009", ""},
		{"a twit has lines", twit, "a\n\tb", "", ""},
		{"which break in one way", twit, "a\r\nb\rc", "", "a\nb\nc"},
		{"a twit has no control characters", twit, "a\x00b", "it can't contain the control character U+0000", ""},
		{"not even of the upper half", twit, "a\u0085b", "it can't contain the control character U+0085", ""},
		{"a twit shows something", twit, " \n", "it shows nothing", ""},
		{"or its photos do", withPhotos, "", "", ""},
		{"a twit has 10,000 characters at most", twit, strings.Repeat("😀", 10_001), "it has 0 to 10000 characters, not 10001", ""},
		{"a comment 2,000", text((*input).comment), strings.Repeat("😀", 2_001), "it has 0 to 2000 characters, not 2001", ""},
		{"a key is a text of one line", optionalText((*input).idempotencyKey), "a\x00", "it can't contain the control character U+0000", ""},
		{"of 200 bytes at most", optionalText((*input).idempotencyKey), strings.Repeat("ä", 101), "a key has at most 200 bytes, not 202", ""},
		{"an address has a mailbox and a host", text((*input).email), "li.lei+1@例子.example", "", ""},
		{"a host alone is none", text((*input).email), "@example.org", form, ""},
		{"nor is nothing", text((*input).email), "", form, ""},
		{"nor are two", text((*input).email), "a@b.org, c@d.org", form, ""},
		{"nor is one with a name around it", text((*input).email), "Li <a@b.org>", form, ""},
		{"nor one that starts a header", text((*input).email), "a@b.org\r\nBcc: c@d.org", form, ""},
		{"nor a very long one", text((*input).email), strings.Repeat("a", 250) + "@b.org", form, ""},
		{"a picture has an address", text((*input).url), "https://example.org/图.jpg?x=1#y", "", ""},
		{"which is absolute", text((*input).url), "/a.jpg", picture, ""},
		{"and runs nothing", text((*input).url), "javascript:alert(1)", picture, ""},
		{"and names a host", text((*input).url), "https:///a.jpg", picture, ""},
		{"and tells no password", text((*input).url), "https://a:b@example.org/", picture, ""},
		{"and is one", text((*input).url), "https://example.org/a https://example.org/b", picture, ""},
		{"and is not very long", text((*input).url), "https://example.org/" + strings.Repeat("a", 2048), picture, ""},
		{"a password is normalised, however it was typed", text((*input).password), "passworte\u0301", "", "passwort\u00e9"},
		{"and may hold anything", text((*input).password), "  \t 😀", "", ""},
		{"but is not short", text((*input).password), "1234567", "a password has 8 to 1024 bytes, not 7", ""},
		{"nor endless", text((*input).password), strings.Repeat("a", 1025), "a password has 8 to 1024 bytes, not 1025", ""},
		{"a day is one of the calendar", day, "2015-02-29", `"2015-02-29" is no day of the form 2014-12-25, from 1970 on`, ""},
		{"it may be that of who is ahead of UTC", day, "2025-01-02", "", ""},
		{"but none that nobody has yet", day, "2025-01-03", `"2025-01-03" has not begun anywhere`, ""},
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
				t.Errorf("%q is stored, with the problems %v; want %q", stored, in.errors, test.stored)
			}
		})
	}
}

func TestValidationOfNumbers(t *testing.T) {
	photos := func(in *input, n int) {
		urls := make([]string, n)
		for i := range urls {
			urls[i] = "https://example.org/"
		}
		in.photos("f", urls)
	}
	for _, test := range []struct {
		reason string
		check  func(*input, int)
		n      int
		want   string
	}{
		{"an age", func(in *input, n int) { in.age("f", n) }, 0, ""},
		{"the greatest age", func(in *input, n int) { in.age("f", n) }, 150, ""},
		{"more", func(in *input, n int) { in.age("f", n) }, 151, "an age is a number from 0 to 150, not 151"},
		{"less", func(in *input, n int) { in.age("f", n) }, -1, "an age is a number from 0 to 150, not -1"},
		{"a play", func(in *input, n int) { in.plays("f", n) }, 1, ""},
		{"the most plays at once", func(in *input, n int) { in.plays("f", n) }, 1_000_000, ""},
		{"more of them", func(in *input, n int) { in.plays("f", n) }, 1_000_001, "a count is a number from 1 to 1000000, not 1000001"},
		{"none", func(in *input, n int) { in.plays("f", n) }, 0, "a count is a number from 1 to 1000000, not 0"},
		{"no photos", photos, 0, ""},
		{"the most photos", photos, 9, ""},
		{"more photos", photos, 10, "there are at most 9 photos, not 10"},
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

func TestEveryFailingFieldIsNamedAtOnce(t *testing.T) {
	var in input
	in.newUsername("username", "a b", false)
	in.name("name", "")
	in.email("email", "a@example.org")
	in.age("age", -1)
	in.password("password", "short")
	in.photos("photoUrls", []string{"https://example.org/1", "ftp://example.org/2", "3"})
	want := []UserError{
		{BadInput, "username", "it can't contain ' '"},
		{BadInput, "name", "it has 1 to 200 characters, not 0"},
		{BadInput, "age", "an age is a number from 0 to 150, not -1"},
		{BadInput, "password", "a password has 8 to 1024 bytes, not 5"},
		{BadInput, "photoUrls", "photo 2: a URL is absolute, with http or https, without blanks and a password, and has at most 2048 bytes"},
	}
	if diff := cmp.Diff(want, in.errors); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
