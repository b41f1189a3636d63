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
	text := binary.AppendUvarint(nil, uint64(len(b.Followers)))
	for _, f := range b.Followers {
		text = appendPart(text, Followers.Position(f))
	}
	for _, t := range b.Twits {
		text = appendPart(text, t.Position)
	}
	return string(text)
}

// DecodeBatch reads a text of Encode back, of an author's followers and twits. The empty text is no batch; any other one has some of both.
func DecodeBatch(author, text string) (Batch, error) {
	var b Batch
	if text == "" {
		return b, nil
	}
	n, size := binary.Uvarint([]byte(text[:min(len(text), binary.MaxVarintLen64)]))
	if size <= 0 || len(binary.AppendUvarint(nil, n)) != size {
		return Batch{}, corrupt(ErrName, text)
	}
	for rest := text[size:]; rest != ""; {
		position, next, ok := cutPart(rest)
		err := ErrName
		switch {
		case !ok:
		case uint64(len(b.Followers)) < n:
			var f Follow
			f, err = Followers.decode(nil, "", position, nil)
			b.Followers = append(b.Followers, f)
		default:
			err = checkTwitPosition(position)
			b.Twits = append(b.Twits, TwitKey{author, position})
		}
		if err != nil {
			return Batch{}, corrupt(err, text)
		}
		rest = next
	}
	if len(b.Followers) == 0 || len(b.Twits) == 0 {
		return Batch{}, corrupt(fmt.Errorf("%w: a batch of nothing", ErrName), text)
	}
	return b, nil
}
