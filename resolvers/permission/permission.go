// Package permission decides the rights of viewers. Tests compare it with the table of
// docs/PERMISSIONS.md.
package permission

import (
	"strings"

	"twibase/graph/auth"
)

// AdminRole is the code of the role of administrators.
const AdminRole = "admin"

// Roles is a set of roles that a viewer can have towards a target.
type Roles uint8

// A viewer can have several roles.
const (
	Anonymous Roles = 1 << iota // any viewer, even without a token
	User
	Owner
	TwitAuthor // the author of the twit that a comment is on
	Follower
	Admin
)

// Action is an action of a viewer. The zero Action is permitted to no viewer.
type Action struct {
	name  string
	roles Roles
}

const (
	anyone = Anonymous | users
	users  = User | Owner | TwitAuthor | Follower | Admin
	own    = Owner | Admin
)

// The actions. All other reads are permitted to every viewer.
var (
	SignUp           = Action{"signUp", anyone}
	LogIn            = Action{"logIn", anyone}
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
	SeeTwit          = Action{"Twit, for everybody", anyone}
	SeeMoment        = Action{"Twit, for followers", own | Follower}
	CountMoments     = Action{"User.twitCount, User.album.totalCount", own | Follower}
	SeeComment       = Action{"Comment", own | TwitAuthor | Follower}
	Subscribe        = Action{"timelineTwitAdded", users}
	SeeFollowers     = Action{"followerChanged", users}
)

// Target is the object of an action. Fields that do not apply are empty.
type Target struct {
	Owner      string // the user who is read or changed, or the author of the twit or the comment
	TwitAuthor string
}

// Verdict is a decision. If Yes is false, a condition that needs a read may still permit the
// action. The zero Verdict is no.
type Verdict struct {
	Yes       bool
	IfAdmin   bool
	IfFollows string // a user; may be empty
}

// Decide decides whether a viewer may do an action. Without a token, known is false and viewer is
// ignored.
func Decide(action Action, viewer auth.Viewer, known bool, target Target) Verdict {
	is := Anonymous
	if known {
		is |= User
		if target.Owner == viewer.Username {
			is |= Owner
		}
		if target.TwitAuthor == viewer.Username {
			is |= TwitAuthor
		}
		if viewer.Admin {
			is |= Admin
		}
	}
	verdict := Verdict{Yes: action.roles&is != 0}
	if !verdict.Yes && known {
		verdict.IfAdmin = action.roles&Admin != 0
		if action.roles&Follower != 0 {
			verdict.IfFollows = target.Owner
		}
	}
	return verdict
}

func (a Action) String() string { return a.name }

// For describes the viewers that may do the action, as in "administrators".
func (a Action) For() string {
	var list []string
	for _, role := range []struct {
		roles Roles
		name  string
	}{
		{User, "users with a token"}, {Owner, "the owner"}, {TwitAuthor, "the author of the twit"},
		{Follower, "followers"}, {Admin, "administrators"},
	} {
		if a.roles&role.roles != 0 {
			list = append(list, role.name)
			if role.roles == User {
				break
			}
		}
	}
	if last := len(list) - 1; last > 0 {
		return strings.Join(list[:last], ", ") + " and " + list[last]
	}
	return strings.Join(list, "")
}
