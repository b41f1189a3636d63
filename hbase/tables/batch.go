package tables

import (
	"encoding/binary"
	"fmt"
)

// Batch is what is written into timelines together: each of the twits, which are one author's, into that of each of the followers.
type Batch struct {
	Followers []Follow
	Twits     []TwitKey
}

// Encode returns the number of followers, and then the positions of them and of the twits in the author's lists, each behind its length.
func (b Batch) Encode() string {
	size := binary.MaxVarintLen64
	for _, f := range b.Followers {
		size += binary.MaxVarintLen16 + timeSize + len(f.Username)
	}
	for _, t := range b.Twits {
		size += binary.MaxVarintLen16 + len(t.Position)
	}
	text := binary.AppendUvarint(make([]byte, 0, size), uint64(len(b.Followers)))
	for _, f := range b.Followers {
		text = appendFollow(binary.AppendUvarint(text, uint64(timeSize+len(f.Username))), f)
	}
	for _, t := range b.Twits {
		text = append(binary.AppendUvarint(text, uint64(len(t.Position))), t.Position...)
	}
	return string(text)
}

// DecodeBatch reads a text of Encode back, of an author's followers and twits. The empty text is no batch; any other one has some of both.
func DecodeBatch(author, text string) (b Batch, err error) {
	if text == "" {
		return b, nil
	}
	n, size := binary.Uvarint([]byte(text[:min(len(text), binary.MaxVarintLen64)]))
	if size <= 0 || len(binary.AppendUvarint(nil, n)) != size {
		return Batch{}, corrupt(ErrName, text)
	}
	for rest := text[size:]; rest != ""; {
		position, next, ok := cutPart(rest)
		if !ok {
			return Batch{}, corrupt(ErrName, text)
		}
		if rest = next; uint64(len(b.Followers)) < n {
			f, err := Followers.decode(nil, "", position, nil)
			if err != nil {
				return Batch{}, corrupt(err, text)
			}
			b.Followers = append(b.Followers, f)
			continue
		}
		if err := checkTwitPosition(position); err != nil {
			return Batch{}, corrupt(err, text)
		}
		b.Twits = append(b.Twits, TwitKey{author, position})
	}
	if len(b.Followers) == 0 || len(b.Twits) == 0 {
		return Batch{}, corrupt(fmt.Errorf("%w: a batch of nothing", ErrName), text)
	}
	return b, nil
}
