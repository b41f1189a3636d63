package tables

import (
	"encoding/json"
	"fmt"
	"io"
)

// Visibility is FollowersOnly if it is zero, so that a forgotten field never publishes a twit.
type Visibility bool

// Visibilities.
const (
	FollowersOnly Visibility = false // a Moment
	Public        Visibility = true
)

// String returns the name in the schema, CSV files and intents.
func (v Visibility) String() string {
	if v == Public {
		return "PUBLIC"
	}
	return "FOLLOWERS"
}

// ParseVisibility accepts exact names, or returns [ErrName].
func ParseVisibility(name string) (Visibility, error) {
	for _, v := range []Visibility{Public, FollowersOnly} {
		if name == v.String() {
			return v, nil
		}
	}
	return FollowersOnly, fmt.Errorf("%w: visibility %q is neither PUBLIC nor FOLLOWERS", ErrName, name)
}

// MarshalJSON writes the name.
func (v Visibility) MarshalJSON() ([]byte, error) { return v.AppendGQL(nil), nil }

// UnmarshalJSON accepts only a name, not null.
func (v *Visibility) UnmarshalJSON(b []byte) error {
	var value any
	if err := json.Unmarshal(b, &value); err != nil {
		return err
	}
	return v.UnmarshalGQL(value)
}

// UnmarshalGQL is like [ParseVisibility].
func (v *Visibility) UnmarshalGQL(value any) error {
	name, ok := value.(string)
	if !ok {
		return fmt.Errorf("%w: a visibility is a name, not %T", ErrName, value)
	}
	read, err := ParseVisibility(name)
	if err == nil {
		*v = read
	}
	return err
}

// MarshalGQL writes the name.
func (v Visibility) MarshalGQL(w io.Writer) { _, _ = w.Write(v.AppendGQL(nil)) }

// AppendGQL is [Visibility.MarshalGQL] into a buffer.
func (v Visibility) AppendGQL(b []byte) []byte {
	return append(append(append(b, '"'), v.String()...), '"')
}
