package relay

import (
	"encoding/base64"

	"twibase/graph/apierr"
)

// List is a kind of connection, by the letter that starts its cursors: a cursor of one kind is refused by another.
type List byte

// The kinds of connections.
const (
	Followers       List = 'f'
	Following       List = 'g'
	Twits           List = 't'
	Album           List = 'a'
	Timeline        List = 'l'
	UserRoles       List = 'r'
	UserGames       List = 'p'
	Comments        List = 'c'
	RoleUsers       List = 'h'
	SubDepartments  List = 's'
	Descendants     List = 'd'
	DepartmentRoles List = 'e'
	Players         List = 'y'
	TwitLikes       List = 'k'
	LikedTwits      List = 'i'
	AllUsers        List = 'U'
	AllRoles        List = 'R'
	AllGames        List = 'G'
)

// EncodeCursor returns the opaque cursor of a position in such a list.
func (l List) EncodeCursor(position string) string {
	return base64.RawURLEncoding.EncodeToString(append([]byte{byte(l)}, position...))
}

// DecodeCursor returns the position that a cursor stands for. It is BAD_USER_INPUT if the cursor is of no such list, and LIMIT_EXCEEDED if it has
// more than [MaxLength] bytes. The position itself may still be anything: the list must check it.
func (l List) DecodeCursor(cursor string) (position string, err error) {
	if len(cursor) > MaxLength {
		return "", apierr.LimitExceeded("a cursor's length in bytes", MaxLength, len(cursor))
	}
	b, ok := decode(cursor)
	if !ok || len(b) < 2 || b[0] != byte(l) {
		return "", BadCursor()
	}
	return string(b[1:]), nil
}

// BadCursor is the error of a cursor that does not belong to its list.
func BadCursor() error {
	return apierr.BadUserInput("the cursor is not one of this list: pass one that the same field returned")
}
