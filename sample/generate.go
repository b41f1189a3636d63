package sample

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
)

// Generated users have all combinations of these names, as "Pinyin 汉字".
var (
	families = strings.Split("Wang 王,Li 李,Zhang 张,Liu 刘,Chen 陈,Yang 杨,Zhao 赵,Huang 黄,Zhou 周,Wu 吴,"+
		"Xu 徐,Sun 孙,Hu 胡,Zhu 朱,Gao 高,Tang 唐,He 何,Guo 郭,Ma 马,Luo 罗", ",")
	givens = strings.Split("Fang 芳,Wei 伟,Na 娜,Min 敏,Jing 静,Li 丽,Qiang 强,"+
		"Lei 磊,Jun 军,Yang 洋,Yong 勇,Yan 艳,Jie 杰,Juan 娟,Tao 涛", ",")
)

var (
	openings = strings.Split("Monday again.,刚下班。,Three cups of tea so far today.,周末去爬山了。,"+
		"Stuck in traffic on the ring road.,新书到了！,The cat has learnt to open doors.,下雨了，", ",")
	closings = strings.Split("Who is in?,有人一起吗？,No regrets.,一切都好。,Send help.,明天继续。,Worth every minute.,不说了，睡觉。", ",")
	remarks  = strings.Split("Same here.,哈哈,Really?,加油！,Where was that?,赞,Nice!,羡慕", ",")
)

var (
	wellKnown = strings.Split("LiLei,HanMeimei,Lucy,Lily,Jim,Kate,小红,小黑,UncleWang", ",")
	famous    = strings.Split("lilei-1,lilei-2,lilei-3,hanmeimei-1,hanmeimei-3,"+
		"lucy-2,lucy-3,jim-1,unclewang-1,xiaohong-2", ",")
	jobs = strings.Split("developer,web-developer,store-developer,tester,"+
		"test-engineer,sales-north,sales-south,recruiter", ",")
	pastimes = strings.Split("chess,go,xiangqi,mahjong,tetris,snake,poker", ",")
)

// csvFile is a CSV file of unique rows.
type csvFile struct {
	header string
	seen   map[string]bool
	bytes.Buffer
}

// row adds a row, unless a row has the same values in the first key fields.
func (t *csvFile) row(key int, fields ...string) {
	if t.seen == nil {
		t.seen = map[string]bool{}
		t.WriteString(t.header + "\n")
	}
	if id := strings.Join(fields[:key], "\x00"); !t.seen[id] {
		t.seen[id] = true
		w := csv.NewWriter(t)
		_ = w.Write(fields)
		w.Flush()
	}
}

// generated returns the files of the generated users. Their twits are older than those of the
// embedded users, and come after them in lists.
func generated() map[string][]byte {
	r := rand.New(rand.NewPCG(2024, 1))
	users := &csvFile{header: "username,name,age,created_at"}
	follows := &csvFile{header: "follower,followee,followed_at"}
	twits := &csvFile{header: "id,author,posted_at,content,photo_urls,title,visibility"}
	comments := &csvFile{header: "twit,author,posted_at,content"}
	roles := &csvFile{header: "username,role"}
	plays := &csvFile{header: "username,game,day,count"}
	pick := func(from []string) string { return from[r.IntN(len(from))] }
	// in returns a random time in 2024, from a day on.
	in := func(day int) time.Time {
		date := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, day+r.IntN(365-day))
		return date.Add(time.Duration(r.IntN(86400)) * time.Second)
	}
	var names []string
	for _, family := range families {
		for _, given := range givens {
			first, last := strings.Fields(given), strings.Fields(family)
			name := last[0] + "." + first[0]
			names = append(names, name)
			users.row(1, name, last[1]+first[1], strconv.Itoa(18+r.IntN(50)), in(0).Format(time.RFC3339))
		}
	}
	posts := famous
	for i, name := range names {
		for range r.IntN(4) {
			id, photo, visibility := fmt.Sprintf("crowd-%d", len(posts)), "", ""
			if r.IntN(4) == 0 {
				photo = "https://example.org/photos/" + id + ".jpg"
			}
			if r.IntN(8) == 0 {
				visibility = "FOLLOWERS"
			}
			twits.row(1, id, name, in(100).Format(time.RFC3339), pick(openings)+" "+pick(closings), photo, "", visibility)
			posts = append(posts, id)
		}
		for range 3 + r.IntN(8) {
			followee := names[(i+1+r.IntN(len(names)-1))%len(names)]
			if r.IntN(3) == 0 {
				followee = pick(wellKnown)
			}
			follows.row(2, name, followee, in(10).Format(time.RFC3339))
		}
		if r.IntN(40) == 0 {
			follows.row(2, pick(wellKnown), name, in(10).Format(time.RFC3339))
		}
		for range r.IntN(4) {
			plays.row(3, name, pick(pastimes), in(0).Format(time.DateOnly), strconv.Itoa(1+r.IntN(5)))
		}
		if r.IntN(4) == 0 {
			roles.row(2, name, pick(jobs))
		}
	}
	for range 600 {
		// After all twits.
		at := time.Date(2025, 6, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(r.IntN(86400)) * time.Second)
		comments.row(4, pick(posts), pick(names), at.Format(time.RFC3339), pick(remarks))
	}
	return map[string][]byte{
		"crowd/users.csv": users.Bytes(), "crowd/follows.csv": follows.Bytes(), "crowd/twits.csv": twits.Bytes(),
		"crowd/comments.csv": comments.Bytes(), "crowd/user_roles.csv": roles.Bytes(), "crowd/plays.csv": plays.Bytes(),
	}
}
