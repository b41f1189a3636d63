package endpoint

import (
	"fmt"
	"testing"
	"time"

	"twibase/graph/resume"
)

// subscribeSlowly returns a subscriber that reads a twit no earlier than at a time.
func (f *feed) subscribeSlowly(twit string, at time.Time, variables map[string]any) *subscriber {
	return f.start(&subscriber{slow: twit, at: at}, "LiLei", "1", variables)
}

func TestSubscriptionOfASlowClientResumesAfterTheLastTwitThatWasSent(t *testing.T) {
	for _, test := range []struct {
		name           string
		before, during []string // the subscription begins
		slow           string   // the client reads this twit after resume.Grace
		sent, resumed  []string
	}{
		{"at the first twit", nil, []string{"1", "2", "3"}, "1", []string{"1"}, []string{"2", "3", "4"}},
		{"at a later twit", nil, []string{"1", "2", "3", "4", "5"}, "2", []string{"1", "2"}, []string{"3", "4", "5", "6"}},
		{"at the last twit", nil, []string{"1", "2"}, "2", []string{"1", "2"}, []string{"3"}},
		{"after a replay", []string{"1", "2"}, []string{"3"}, "2", []string{"1", "2"}, []string{"3", "4"}},
		{"during a replay", []string{"1", "2", "3", "4"}, nil, "1", []string{"1"}, []string{"1", "2", "3", "4", "5"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			inFeed(t, func(f *feed) {
				variables := ofA()
				if test.before != nil {
					variables["after"] = f.post("0")
					f.post(test.before...)
				}
				f.until = time.Now().Add(lifetime)
				first := f.subscribeSlowly(test.slow, f.until.Add(resume.Grace+time.Second), variables)
				f.post(test.during...)
				<-first.done
				f.until = time.Time{}
				again := f.subscribe("LiLei", "1", variables)
				f.post(fmt.Sprint(len(test.before) + len(test.during) + 1))
				if !first.expired {
					t.Error("the subscription did not expire")
				}
				first.expect(test.sent...)
				again.expect(test.resumed...)
			})
		})
	}
}

func TestSubscriptionOfALostConnectionDoesNotResume(t *testing.T) {
	for name, after := range map[string]time.Duration{"before the token expired": 0,
		"while it sends earlier twits": lifetime} {
		t.Run(name, func(t *testing.T) {
			inFeed(t, func(f *feed) {
				first := f.subscribe("LiLei", "1", ofA())
				first.drops, first.after = "2", after
				f.post("1", "2")
				time.Sleep(lifetime)
				<-first.done
				f.post("3")
				again := f.subscribe("LiLei", "1", ofA())
				f.post("4")
				first.expect("1")
				again.expect("4")
			})
		})
	}
}

// The gateway closes the connection, and the event that it is sending fails.
func TestSubscriptionOfAConnectionClosedAfterTheExpiryResumes(t *testing.T) {
	inFeed(t, func(f *feed) {
		first := f.subscribe("LiLei", "1", ofA())
		first.drops, first.after = "2", lifetime+resume.Grace
		f.post("1", "2", "3")
		<-first.done
		again := f.subscribe("LiLei", "1", ofA())
		f.post("4")
		first.expect("1")
		again.expect("2", "3", "4")
	})
}
