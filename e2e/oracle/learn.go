package oracle

import (
	"fmt"
	"slices"
)

// LearnRoot learns the order of a root list, which must have each object of the files once.
func (o *Oracle) LearnRoot(noun string, keys []string) error {
	known := map[string]map[string]bool{"User": keysOf(o.Users), "Role": keysOf(o.Roles), "Game": keysOf(o.Games)}[noun]
	for _, key := range keys {
		if !known[key] {
			return fmt.Errorf("%s %q is listed twice, or does not exist", noun, key)
		}
		delete(known, key)
	}
	for key := range known {
		return fmt.Errorf("%s %q and %d others are missing", noun, key, len(known)-1)
	}
	o.roots[noun] = slices.Clone(keys)
	return nil
}

func keysOf[T any](objects map[string]*T) map[string]bool {
	keys := make(map[string]bool, len(objects))
	for key := range objects {
		keys[key] = true
	}
	return keys
}

// Ambiguous returns twits with comments by one author at one time, whose order is unspecified.
func (m *Model) Ambiguous() []*Twit {
	var all []*Twit
	for _, t := range m.Twits {
		for i := 1; i < len(t.Comments); i++ {
			if a, b := t.Comments[i-1], t.Comments[i]; unordered(a, b) && a.Content != b.Content {
				all = append(all, t)
				break
			}
		}
	}
	return sorted(all, newest)
}

func unordered(a, b *Comment) bool { return a.Author == b.Author && a.PostedAt.Equal(b.PostedAt) }

// LearnComments learns the order of comments. It fails if contents differ otherwise from the files.
func (m *Model) LearnComments(twit string, contents []string) error {
	comments := m.Twits[twit].Comments
	if len(contents) != len(comments) {
		return fmt.Errorf("twit %s: got %d comments, want %d", twit, len(contents), len(comments))
	}
	for i, content := range contents {
		j := i
		for j < len(comments) && unordered(comments[i], comments[j]) && comments[j].Content != content {
			j++
		}
		if j == len(comments) || !unordered(comments[i], comments[j]) {
			return fmt.Errorf("twit %s: comment %d is %q, want %q", twit, i, content, comments[i].Content)
		}
		comments[i], comments[j] = comments[j], comments[i]
	}
	return nil
}
