package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var publicFields = map[string]string{
	"Query":                "node nodes viewer user users twit role roles department topDepartments game games",
	"Subscription":         "twitPosted", // delivers visible twits only
	"User":                 "id username name version age avatarUrl bio createdAt followers following followerCount followingCount isFollowing viewerFollows twits likedTwits album roles hasRole games hasPlayed",
	"UserConnection":       "edges nodes pageInfo totalCount",
	"UserEdge":             "cursor node followedAt",
	"Twit":                 "id author title content photoUrls visibility postedAt comments commentCount likes likeCount viewerLikes",
	"TwitConnection":       "edges nodes pageInfo",
	"TwitEdge":             "cursor node",
	"Comment":              "id twit author content postedAt",
	"CommentConnection":    "edges nodes pageInfo totalCount",
	"CommentEdge":          "cursor node",
	"Role":                 "id code name version department users userCount",
	"RoleConnection":       "edges nodes pageInfo totalCount",
	"RoleEdge":             "cursor node",
	"Department":           "id code name version parent ancestors subDepartments descendants roles",
	"DepartmentConnection": "edges nodes pageInfo totalCount",
	"DepartmentEdge":       "cursor node depth",
	"Game":                 "id code name version players playerCount isPlayed plays",
	"GameConnection":       "edges nodes pageInfo totalCount",
	"GameEdge":             "cursor node day count",
	"DayPlays":             "day count",
	"PageInfo":             "hasNextPage hasPreviousPage startCursor endCursor",
	"FollowerChange":       "added followerId follower viewer cursor",
	"TwitDeletion":         "deletedId author cursor",
	"UserError":            "code message field path",
}

// The rows of docs/PERMISSIONS.md for reads. Those of twits and comments apply on every path.
const (
	seeEmail     = "User.email"
	seeTimeline  = "User.timeline"
	countMoments = "User.twitCount, User.album.totalCount"
	seeTwit      = "Twit, for everybody"
	seeMoment    = "Twit, for followers"
	seeComment   = "Comment"
)

var guardedFields = map[string]string{
	"User.email": seeEmail, "User.timeline": seeTimeline, "User.twitCount": countMoments,
	"TwitConnection.totalCount":      countMoments,
	"Subscription.timelineTwitAdded": "timelineTwitAdded", "Subscription.commentAdded": seeComment,
	"Subscription.followerChanged": "followerChanged",
	"Subscription.twitDeleted":     seeTwit,
}

// payloadFields are visible to the mutation's sender.
var payloadFields = strings.Fields("query userErrors clientMutationId deletedId token expiresAt day count")

func TestEveryFieldHasAPermission(t *testing.T) {
	rows := map[string]bool{}
	for _, row := range permissionRows(t) {
		rows[row.what] = true
	}
	got := map[string]bool{}
	for name, d := range apiSchema.Types {
		if strings.HasPrefix(name, "__") || !d.IsCompositeType() || d.IsAbstractType() {
			continue
		}
		for _, f := range fieldsOf(d) {
			field := name + "." + f.Name
			got[field] = true
			row, guarded := guardedFields[field]
			switch {
			case guarded && rows[row], slices.Contains(strings.Fields(publicFields[name]), f.Name):
			case name == "Mutation" && rows[f.Name]:
			case strings.HasSuffix(name, "Payload") && (isNode(f.Type.Name()) || strings.HasSuffix(f.Type.Name(), "Edge") ||
				slices.Contains(payloadFields, f.Name)):
			default:
				t.Errorf("%s has no permission: add it to publicFields, or to guardedFields with its row of docs/PERMISSIONS.md",
					field)
			}
		}
	}
	var unknown []string
	for name, fields := range publicFields {
		for field := range strings.FieldsSeq(fields) {
			if !got[name+"."+field] {
				unknown = append(unknown, name+"."+field)
			}
		}
	}
	for field := range guardedFields {
		if !got[field] {
			unknown = append(unknown, field)
		}
	}
	if diff := cmp.Diff([]string(nil), unknown); diff != "" {
		t.Errorf("fields that the schema lacks: %s", diff)
	}
}
