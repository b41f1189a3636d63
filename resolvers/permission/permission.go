// Package permission decides who may do what. docs/PERMISSIONS.md has the same table; tests compare
// the two.
package permission

import (
	"strings"

	"twibase/graph/auth"
)

// AdminRole is the code of the role whose holders are administrators.
const AdminRole = "admin"

// Who is a set of roles that a viewer can have towards an object.
type Who uint8

// The roles.
const (
	Stranger   Who = 1 << iota // every viewer, with a token or without
	User                       // a viewer with a token
	Owner                      // the user that the action is about; the author of a twit or a comment
	TwitAuthor                 // the author of the twit that a comment is on
	Follower                   // a follower of the owner
	Admin                      // an administrator
)

// Action is something that not every viewer may do. The zero value is permitted to no viewer.
type Action struct {
	name string // as in docs/PERMISSIONS.md
	who  Who    // the roles that permit it
}

const (
	everybody = Stranger | users
	users     = User | Owner | TwitAuthor | Follower | Admin
	own       = Owner | Admin
)

// The actions, in the order of docs/PERMISSIONS.md. Reads without an action, such as that of a name, are permitted to every
// viewer.
var (
	SignUp           = Action{"signUp", everybody}
	LogIn            = Action{"logIn", everybody}
	CreateUser       = Action{"createUser", Admin}
	UpdateUser       = Action{"updateUser", own}
	DeleteUser       = Action{"deleteUser", own}
	Follow           = Action{"follow", users}
	Unfollow         = Action{"unfollow", users}
	PostTwit         = Action{"postTwit", users}
	DeleteTwit       = Action{"deleteTwit", own}
	Like             = Action{"like", users}
	Unlike           = Action{"unlike", users}
	AddComment       = Action{"addComment", users}
	DeleteComment    = Action{"deleteComment", own | TwitAuthor}
	CreateRole       = Action{"createRole", Admin}
	UpdateRole       = Action{"updateRole", Admin}
	DeleteRole       = Action{"deleteRole", Admin}
	AssignRole       = Action{"assignRole", Admin}
	RevokeRole       = Action{"revokeRole", Admin}
	CreateDepartment = Action{"createDepartment", Admin}
	UpdateDepartment = Action{"updateDepartment", Admin}
	MoveDepartment   = Action{"moveDepartment", Admin}
	DeleteDepartment = Action{"deleteDepartment", Admin}
	CreateGame       = Action{"createGame", Admin}
	UpdateGame       = Action{"updateGame", Admin}
	DeleteGame       = Action{"deleteGame", Admin}
	RecordPlay       = Action{"recordPlay", users}
	SeeEmail         = Action{"User.email", own}
	SeeTimeline      = Action{"User.timeline", own}
	SeeTwit          = Action{"Twit, for everybody", everybody}
	SeeMoment        = Action{"Twit, for followers", own | Follower}
	CountMoments     = Action{"User.twitCount, User.album.totalCount", own | Follower}
	SeeComment       = Action{"Comment", own | TwitAuthor | Follower}
	Subscribe        = Action{"timelineTwitAdded", users}
)

// About is the object of an action. Its fields are empty where there is none.
type About struct {
	// Owner is the user that the action is about, or the author of the twit or the comment.
	Owner string
	// TwitAuthor is the author of the twit that a comment is on.
	TwitAuthor string
}

// Verdict is whether an action is permitted, as far as that is known without a read.
type Verdict struct {
	Yes     bool
	IfAdmin bool // it is permitted if the viewer is an administrator
	// IfFollows is the user whom the viewer has to follow, empty if the verdict does not depend on that.
	IfFollows string
}

// Decide decides whether a viewer may do something. known is false for a viewer without a token: then
// viewer is ignored.
func Decide(action Action, viewer auth.Viewer, known bool, about About) Verdict {
	is := Stranger
	if known {
		is |= User
		if about.Owner == viewer.Username {
			is |= Owner
		}
		if about.TwitAuthor == viewer.Username {
			is |= TwitAuthor
		}
		if viewer.Admin {
			is |= Admin
		}
	}
	verdict := Verdict{Yes: action.who&is != 0}
	if !verdict.Yes && known {
		verdict.IfAdmin = action.who&Admin != 0
		if action.who&Follower != 0 {
			verdict.IfFollows = about.Owner
		}
	}
	return verdict
}

// String returns the action's name.
func (a Action) String() string { return a.name }

// For describes the viewers to whom the action is permitted, as in "administrators".
func (a Action) For() string {
	var list []string
	for _, role := range []struct {
		who  Who
		name string
	}{
		{User, "whoever has logged in"}, {Owner, "whose it is"}, {TwitAuthor, "the author of the twit"},
		{Follower, "followers"}, {Admin, "administrators"},
	} {
		if a.who&role.who != 0 {
			list = append(list, role.name)
			if role.who == User {
				break
			}
		}
	}
	if last := len(list) - 1; last > 0 {
		return strings.Join(list[:last], ", ") + " and " + list[last]
	}
	return strings.Join(list, "")
}
