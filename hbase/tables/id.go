package tables

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// Noun is the kind of thing that an id names, by one letter.
type Noun byte

// The nouns that have ids.
const (
	NounUser       Noun = 'U'
	NounRole       Noun = 'R'
	NounDepartment Noun = 'D'
	NounTwit       Noun = 'T'
	NounComment    Noun = 'C'
	NounGame       Noun = 'G'
)

// ID names a thing: its noun, and the key by which its noun's table finds it. The zero ID names nothing.
type ID struct {
	Noun Noun
	Key  string
}

// ParseID reads the bytes of [ID.Bytes] back. The error is [ErrName] if they can't name anything; finding that out takes no
// read of the store.
func ParseID(b []byte) (ID, error) {
	if len(b) == 0 {
		return ID{}, fmt.Errorf("%w: it is empty", ErrName)
	}
	id := ID{Noun: Noun(b[0]), Key: string(b[1:])}
	var err error
	if kind := objectOf(id.Noun); kind != nil {
		err = kind.check(id.Key)
	} else if id.Noun == NounComment {
		_, err = ParseCommentKey(id.Key)
	} else {
		err = fmt.Errorf("%w: it names no kind of thing", ErrName)
	}
	if err != nil {
		return ID{}, err
	}
	return id, nil
}

// Bytes returns the noun's letter and the key.
func (id ID) Bytes() []byte { return id.Append(nil) }

// Append appends what Bytes returns.
func (id ID) Append(dst []byte) []byte { return append(append(dst, byte(id.Noun)), id.Key...) }

// appendPart and cutPart write and read a part of a composite key whose length comes first.
func appendPart(key []byte, part string) []byte {
	return append(binary.AppendUvarint(key, uint64(len(part))), part...)
}

func cutPart(key string) (part, rest string, ok bool) {
	n, size := binary.Uvarint([]byte(key[:min(len(key), binary.MaxVarintLen64)]))
	if size <= 0 || n > uint64(len(key)-size) {
		return "", "", false
	}
	part, rest = key[size:size+int(n)], key[size+int(n):]
	return part, rest, strings.HasPrefix(key, string(appendPart(nil, part)))
}
