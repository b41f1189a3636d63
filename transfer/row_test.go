package transfer

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"twibase/hbase"
	"twibase/hbase/tables"
)

var base = map[string]string{
	"users":       people("a", "b"),
	"departments": "id,name,parent\nd,D,\n",
	"roles":       "id,name,department\nr,R,\n",
	"games":       "id,name\ng,G\n",
	"twits":       twitHeader + "t,a,2024-05-01T00:00:00Z,text,\n",
}

const twitHeader = "id,author,posted_at,content,photo_urls\n"

func importCSV(store hbase.Store, files map[string]string, options Options) (Summary, error) {
	return ImportFiles(context.Background(), store, csvFiles(files), options)
}

func TestInvalidRowsAreReported(t *testing.T) {
	const otherTwit = " is the id of a twit with another author, time, content, title, visibility or photos: " +
		"a twit cannot be changed"
	long := strings.Repeat("x", 100)
	for _, test := range []struct{ schema, text, want string }{
		{"users", "username,name\na,A\nb c,B\n", `users.csv:3: column username: not valid: it can't contain ' '`},
		{"users", "username,name\n" + long + ",B\n",
			`users.csv:2: column username: not valid: a username has 1 to 64 characters, not 100`},
		{"users", "username,name\n,B\n",
			`users.csv:2: column username: not valid: a username has 1 to 64 characters, not 0`},
		{"users", "username,name\ne\u0301,B\n",
			`users.csv:2: column username: not valid: it must be in Unicode's normal form C`},
		{"users", "username,name\na,\n", `users.csv:2: column name: it must not be empty`},
		{"users", "username,name\na,\"A\nB\"\n",
			`users.csv:2: column name: it contains a control character or a line break`},
		{"users", "username,name\na,\xff\n", `users.csv:2: column name: it is not valid UTF-8`},
		{"users", "username,name,email\na,A,nobody\n",
			`users.csv:2: column email: "nobody" is no e-mail address as in a@example.org`},
		{"users", "username,name,email\na,A,B <b@example.org>\n",
			`users.csv:2: column email: "B <b@example.org>" is no e-mail address as in a@example.org`},
		{"users", "username,name,age\na,A,151\n", `users.csv:2: column age: "151" is no number from 0 to 150`},
		{"users", "username,name,age\na,A,old\n", `users.csv:2: column age: "old" is no number from 0 to 150`},
		{"users", "username,name,avatar_url\na,A,javascript:alert(1)\n",
			`users.csv:2: column avatar_url: "javascript:alert(1)" is no URL as in https://example.org/a.jpg`},
		{"users", "username,name,created_at\na,A,1969-12-31T23:59:59Z\n",
			`users.csv:2: column created_at: "1969-12-31T23:59:59Z" is not between the years 1970 and 9999`},
		{"users", "username,name,created_at\na,A,today\n",
			`users.csv:2: column created_at: "today" is no time as in 2014-12-25T18:30:00Z (RFC 3339)`},
		{"users", "username,name\na\n", `users.csv:2: the row has more or fewer fields than the header's 2`},
		{"users", "username,name\na,A\n\n\nb,B,B\n", `users.csv:5: the row has more or fewer fields than the header's 2`},
		{"users", "username,name\na,A\"B\n", `users.csv:2: bare " in non-quoted-field, at byte 4`},
		{"users", "username,name\na,\"A\nB\n", `users.csv:2: extraneous or missing " in quoted-field, in line 3, byte 3`},
		{"follows", "follower,followee\na,a\n", `follows.csv:2: column followee: "a" can't follow themselves`},
		{"follows", "follower,followee,followed_at\na,b,yesterday\n",
			`follows.csv:2: column followed_at: "yesterday" is no time as in 2014-12-25T18:30:00Z (RFC 3339)`},
		{"twits", twitHeader + "x y,a,2024-05-01T00:00:00Z,text,\n",
			`twits.csv:2: column id: not valid: it can't contain ' '`},
		{"twits", twitHeader + "x,a,2024-05-01,text,\n",
			`twits.csv:2: column posted_at: "2024-05-01" is no time as in 2014-12-25T18:30:00Z (RFC 3339)`},
		{"twits", twitHeader + "x,a,2024-05-01T00:00:00Z,,\n",
			`twits.csv:2: column content: a twit must have content or a photo`},
		{"twits", twitHeader + "x,a,2024-05-01T00:00:00Z,a\x00b,\n",
			`twits.csv:2: column content: it contains a control character`},
		{"twits", twitHeader + "x,a,2024-05-01T00:00:00Z,,https://example.org/ ftp://example.org/\n",
			`twits.csv:2: column photo_urls: "ftp://example.org/" is no URL as in https://example.org/a.jpg`},
		{"twits", twitHeader + "x,a,2024-05-01T00:00:00Z,," + strings.Repeat("https://example.org/a.jpg ", 50_000) + "\n",
			`twits.csv:2: column photo_urls: it has 1300000 bytes, more than 1048576`},
		{"twits", "id,author,posted_at,content,photo_urls,visibility\nx,a,2024-05-01T00:00:00Z,text,,SECRET\n",
			`twits.csv:2: column visibility: "SECRET" is neither PUBLIC nor FOLLOWERS`},
		{"twits", "id,author,posted_at,content,photo_urls,visibility\nx,a,2024-05-01T00:00:00Z,text,,followers\n",
			`twits.csv:2: column visibility: "followers" is neither PUBLIC nor FOLLOWERS`},
		{"twits", "id,author,posted_at,content,photo_urls,visibility\nx,a,2024-05-01T00:00:00Z,text,,\" FOLLOWERS\"\n",
			`twits.csv:2: column visibility: " FOLLOWERS" is neither PUBLIC nor FOLLOWERS`},
		{"twits", twitHeader + "x,a,2024-05-01T00:00:00Z,\"two\nlines\",\nx,a,2024-05-01T00:00:00Z,other,\n",
			`twits.csv:4: column id: "x"` + otherTwit},
		{"twits", twitHeader + "t,b,2024-05-01T00:00:00Z,text,\n",
			`twits.csv:2: column id: "t"` + otherTwit},
		{"twits", twitHeader + "t,a,2024-05-01T00:00:00Z,changed,\n",
			`twits.csv:2: column id: "t"` + otherTwit},
		{"comments", "twit,author,posted_at,content\nt,a,2024-05-01T00:00:00Z,\n",
			`comments.csv:2: column content: it must not be empty`},
		{"plays", "username,game,day,count\na,g,2024-05-01,0\n",
			`plays.csv:2: column count: "0" is no number from 1 to 2147483647`},
		{"plays", "username,game,day,count\na,g,2024-02-30,1\n",
			`plays.csv:2: column day: not valid: "2024-02-30" is no day of the form 2014-12-25, from 1970 on`},
		{"games", "id,name\na b,G\n", `games.csv:2: column id: not valid: it can't contain ' '`},
		{"departments", "id,name,parent\nx,\"a\tb\",\n",
			`departments.csv:2: column name: not valid: a department's name is UTF-8 without control characters`},
		{"departments", "id,name,parent\nx,X,x\n",
			`departments.csv:2: column parent: department "x" would be below itself`},
		{"departments", "id,name,parent\nx,X,y\ny,Y,z\nz,Z,x\n",
			`departments.csv:2: column parent: department "x" would be below itself`},
	} {
		t.Run(test.want, func(t *testing.T) {
			store := openStore(t)
			load(t, store, csvFiles(base), Options{})
			before := dump(t, store)
			_, err := importCSV(store, map[string]string{test.schema: test.text}, Options{})
			var bad *RowError
			if !errors.As(err, &bad) || bad.Error() != test.want {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
			if _, err := importCSV(store, map[string]string{test.schema: test.text}, Options{SkipBad: true}); err != nil {
				t.Errorf("got error %v with SkipBad", err)
			}
			if test.schema == "twits" || test.schema == "users" {
				return
			}
			if diff := cmp.Diff(before, dump(t, store)); diff != "" && strings.Count(test.text, "\n") == 2 {
				t.Errorf("a bad row was written (-before +after):\n%s", diff)
			}
		})
	}
}

func TestInvalidHeadersAreReported(t *testing.T) {
	for _, test := range []struct{ schema, header, want string }{
		{"follows", "follower,followee,since",
			`follows.csv:1: column since: follows has no such column; it has follower,followee[,followed_at]`},
		{"follows", "follower",
			`follows.csv:1: column followee: the header lacks it; follows has follower,followee[,followed_at]`},
		{"games", "id,name,id", `games.csv:1: column id: the header names it twice`},
		{"games", "", `games.csv:1: the file is empty: it needs the header id,name`},
	} {
		t.Run(test.want, func(t *testing.T) {
			text := test.header
			if text != "" {
				text += "\n"
			}
			_, err := importCSV(openStore(t), map[string]string{test.schema: text}, Options{SkipBad: true})
			if err == nil || err.Error() != test.want {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
		})
	}
	t.Run("columns in any order and a byte order mark are valid", func(t *testing.T) {
		store := openStore(t)
		load(t, store, csvFiles(map[string]string{"users": "\ufeffage,name,username\n7,A,a\n"}), Options{})
		got := strings.Join(dump(t, store), "\n")
		if !strings.Contains(got, `i:"age" @1 "7"`) || !strings.Contains(got, `i:"name" @1 "A"`) {
			t.Errorf("got %s, want age 7 and name A", got)
		}
	})
}

func TestDanglingRowsAreSkipped(t *testing.T) {
	files := csvFiles(map[string]string{
		"users":       people("a", "b"),
		"departments": "id,name,parent\nd,D,\nx,X,nodepartment\ny,Y,x\n",
		"roles":       "id,name,department\nr,R,d\ns,S,y\n",
		"user_roles":  "username,role\na,r\nnobody,r\na,norole\n",
		"follows":     "follower,followee\na,b\nnobody,b\na,nobody\n",
		"games":       "id,name\ng,G\n",
		"twits":       twitHeader + "t,a,2024-05-01T00:00:00Z,text,\nu,nobody,2024-05-01T00:00:00Z,text,\n",
		"comments": "twit,author,posted_at,content\nt,a,2024-05-01T00:00:00Z,yes\n" +
			"u,a,2024-05-01T00:00:00Z,yes\nt,nobody,2024-05-01T00:00:00Z,yes\n",
		"plays": "username,game,day,count\na,g,2024-05-01,1\nnobody,g,2024-05-01,1\na,nogame,2024-05-01,1\n",
	})
	want := []string{
		`departments.csv:3: column parent: there is no department "nodepartment"`,
		`departments.csv:4: column parent: there is no department "x"`,
		`roles.csv:3: column department: there is no department "y"`,
		`user_roles.csv:3: column username: there is no user "nobody"`,
		`user_roles.csv:4: column role: there is no role "norole"`,
		`follows.csv:3: column follower: there is no user "nobody"`,
		`follows.csv:4: column followee: there is no user "nobody"`,
		`twits.csv:3: column author: there is no user "nobody"`,
		`comments.csv:3: column twit: there is no twit "u"`,
		`comments.csv:4: column author: there is no user "nobody"`,
		`plays.csv:3: column username: there is no user "nobody"`,
		`plays.csv:4: column game: there is no game "nogame"`,
	}
	dangling := regexp.MustCompile("nobody|node|norole|nogame|^[ysu],")
	clean := openStore(t)
	cleanFiles := map[string][]byte{}
	for name, content := range files {
		var kept []string
		for i, line := range strings.Split(strings.TrimSuffix(string(content), "\n"), "\n") {
			if i == 0 || !dangling.MatchString(line) {
				kept = append(kept, line)
			}
		}
		cleanFiles[name] = []byte(strings.Join(kept, "\n"))
	}
	load(t, clean, cleanFiles, Options{})
	for _, skip := range []bool{false, true} {
		store := openStore(t)
		var got []string
		skipped := func(e *RowError) { got = append(got, e.Error()) }
		summary, err := ImportFiles(t.Context(), store, files, Options{SkipBad: skip, Skipped: skipped})
		if errors.Is(err, ErrDangling) == skip || err != nil && skip {
			t.Errorf("SkipBad %v: got error %v", skip, err)
		}
		if diff := cmp.Diff(Summary{Rows: 22, Dangling: len(want)}, summary); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(sorted(append([]string{}, want...)), sorted(got)); diff != "" {
			t.Errorf("SkipBad %v (-want +got):\n%s", skip, diff)
		}
		if diff := cmp.Diff(dump(t, clean), dump(t, store)); diff != "" {
			t.Errorf("cells of the other rows (-want +got):\n%s", diff)
		}
	}
}

func TestDepartmentKeepsItsLastValidRow(t *testing.T) {
	for _, test := range []struct {
		name, rows string
		want       []string
		summary    Summary
	}{
		{"below itself", "a,Old,\na,New,a\nb,B,a\n", []string{"{Old a}"}, Summary{Rows: 3, Bad: 1}},
		{"below a child", "a,Old,\nb,B,a\na,New,b\n", []string{"{Old a}"}, Summary{Rows: 3, Bad: 1}},
		{"below a missing department", "a,Old,\na,New,x\n", []string{"{Old a}"}, Summary{Rows: 2, Dangling: 1}},
		{"twice", "a,Old,\na,New,x\na,Newer,a\n", []string{"{Old a}"}, Summary{Rows: 3, Bad: 1, Dangling: 1}},
		{"and first", "a,Old,a\na,New,\na,Newer,a\n", []string{"{New a}"}, Summary{Rows: 3, Bad: 1}},
		{"always", "a,Old,a\na,New,x\n", []string{}, Summary{Rows: 2, Bad: 1, Dangling: 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			store := openStore(t)
			files := map[string]string{"departments": "id,name,parent\n" + test.rows}
			summary, err := importCSV(store, files, Options{SkipBad: true})
			if diff := cmp.Diff(test.summary, summary); diff != "" || err != nil {
				t.Errorf("error %v, summary (-want +got):\n%s", err, diff)
			}
			if diff := cmp.Diff(test.want, members(t, store, tables.Children, tables.Root)); diff != "" {
				t.Errorf("departments (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDepthOfTheTreeIsBounded(t *testing.T) {
	chain := func(prefix, below string, n int) string {
		text := "id,name,parent\n"
		for i := range n {
			name := prefix + string(rune('A'+i/26)) + string(rune('a'+i%26))
			text += name + ",X," + below + "\n"
			below = name
		}
		return text
	}
	store := openStore(t)
	load(t, store, csvFiles(map[string]string{"departments": chain("x", "", tables.MaxDepth)}), Options{})
	_, err := importCSV(store, map[string]string{"departments": "id,name,parent\ny,Y,xCl\n"}, Options{})
	if err == nil || err.Error() != `departments.csv:2: column parent: department "y" would be below more than 63 others` {
		t.Errorf("one more level: got error %v", err)
	}
	_, err = importCSV(store, map[string]string{"departments": "id,name,parent\nz,Z,\nxAa,X,z\n"}, Options{})
	if err == nil || !strings.HasPrefix(err.Error(), `departments.csv:3: column parent: department "xCl" would be below`) {
		t.Errorf("a row above stored departments: got error %v", err)
	}
	summary, err := importCSV(store, map[string]string{"departments": chain("n", "", 80)}, Options{SkipBad: true})
	if err != nil || summary.Bad != 1 || summary.Dangling != 15 {
		t.Errorf("80 levels: got %+v, error %v; want 1 bad and 15 dangling rows", summary, err)
	}
}

func TestImportReadsFilesAndFolders(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		content := []byte(text)
		if strings.HasSuffix(name, ".gz") {
			var b bytes.Buffer
			z := gzip.NewWriter(&b)
			_, _ = z.Write(content)
			_ = z.Close()
			content = b.Bytes()
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	follows := write("follows.csv", "follower,followee\na,b\n")
	users := write("people/users.csv.gz", people("a", "b"))
	write("people/README.md", "people")
	cut := write("cut/users.csv.gz", people("a", "b"))
	if err := os.Truncate(cut, 30); err != nil {
		t.Fatal(err)
	}
	slip := write("slip/user.csv", "username,name\n")
	t.Run("a file with several paths is read once", func(t *testing.T) {
		link := filepath.Join(t.TempDir(), "follows.csv")
		if err := os.Symlink(follows, link); err != nil {
			t.Fatal(err)
		}
		paths := []string{filepath.Dir(users), follows, link, users, filepath.Dir(follows) + "/./follows.csv"}
		summary, err := Import(context.Background(), openStore(t), paths, Options{})
		if err != nil || summary.Rows != 3 {
			t.Errorf("got %+v, error %v; want 3 rows", summary, err)
		}
	})
	for _, test := range []struct {
		name  string
		paths []string
		want  string
	}{
		{"a file and a folder, in any order", []string{follows, filepath.Dir(users)}, ""},
		{"a file that does not exist", []string{filepath.Join(dir, "nothing")}, "no such file or directory"},
		{"a folder without a CSV file", []string{t.TempDir()}, "no CSV file in this folder: use users.csv,"},
		{"an unknown file name", []string{slip}, slip + ": unknown name of a file: use one of users.csv, departments.csv,"},
		{"a folder with an unknown file name", []string{filepath.Dir(slip)},
			slip + ": unknown name of a file: use one of users.csv,"},
		{"a truncated compressed file", []string{cut}, cut + ": unexpected EOF"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Import(context.Background(), openStore(t), test.paths, Options{})
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
		})
	}
}
