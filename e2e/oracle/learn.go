package oracle

import (
	"fmt"
	"slices"
)

// LearnRoot tells the order of all things of a noun, by their usernames or codes. It is an error if a thing is missing, there twice, or
// not in the files.
func (o *Oracle) LearnRoot(noun string, keys []string) error {
	known := map[string]map[string]bool{"User": keysOf(o.Users), "Role": keysOf(o.Roles), "Game": keysOf(o.Games)}[noun]
	for _, key := range keys {
		if !known[key] {
			return fmt.Errorf("%s %q is listed twice, or should not exist", noun, key)
		}
		delete(known, key)
	}
	for key := range known {
		return fmt.Errorf("%s %q is not listed, nor are %d others", noun, key, len(known)-1)
	}
	o.roots[noun] = slices.Clone(keys)
	return nil
}

func keysOf[T any](things map[string]*T) map[string]bool {
	keys := make(map[string]bool, len(things))
	for key := range things {
		keys[key] = true
	}
	return keys
}

// Ambiguous returns the twits that have comments of one author and time whose contents differ: their order is by something opaque.
func (m *Model) Ambiguous() []*Twit {
	var all []*Twit
	for _, t := range m.Twits {
		for i := 1; i < len(t.Comments); i++ {
			if a, b := t.Comments[i-1], t.Comments[i]; alike(a, b) && a.Content != b.Content {
				all = append(all, t)
				break
			}
		}
	}
	return sorted(all, newest)
}

// alike reports whether the rules leave the order of two comments open.
func alike(a, b *Comment) bool { return a.Author == b.Author && a.PostedAt.Equal(b.PostedAt) }

// LearnComments tells the order of the contents of a twit's comments. It is an error if more differs from the files than the order of comments of
// one author and time.
func (m *Model) LearnComments(twit string, contents []string) error {
	comments := m.Twits[twit].Comments
	if len(contents) != len(comments) {
		return fmt.Errorf("twit %s has %d comments, and not %d", twit, len(comments), len(contents))
	}
	for i, content := range contents {
		j := i
		for j < len(comments) && alike(comments[i], comments[j]) && comments[j].Content != content {
			j++
		}
		if j == len(comments) || !alike(comments[i], comments[j]) {
			return fmt.Errorf("twit %s: comment %d is %q, and should be %q", twit, i, content, comments[i].Content)
		}
		comments[i], comments[j] = comments[j], comments[i]
	}
	return nil
}
