package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// open are the fields that everybody may see who sees the thing that they are of.
var open = map[string]string{
	"Query":                "node nodes viewer user users twit role roles department topDepartments game games",
	"Subscription":         "twitPosted", // which delivers what the subscriber may see
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
	"UserError":            "code message field",
}

// The rows of docs/PERMISSIONS.md that are asked before something is shown. Those of twits and comments are asked for each of them, whatever the way to it.
const (
	seeEmail     = "User.email"
	seeTimeline  = "User.timeline"
	countMoments = "User.twitCount, User.album.totalCount"
	seeTwit      = "Twit, for everybody"
	seeMoment    = "Twit, for followers"
	seeComment   = "Comment"
)

// guardedFields are the others, by the row.
var guardedFields = map[string]string{
	"User.email": seeEmail, "User.timeline": seeTimeline, "User.twitCount": countMoments, "TwitConnection.totalCount": countMoments,
	"Subscription.timelineTwitAdded": "timelineTwitAdded",
}

// Payloads have things, which whoever gets them sees as everywhere, and these, which are for whoever asked.
var payloadFields = strings.Fields("userErrors clientMutationId deletedId token expiresAt day count")

// TestEveryFieldHasARow fails for each field of which nobody has decided yet who may see it.
func TestEveryFieldHasARow(t *testing.T) {
	rows := map[string]bool{}
	for _, row := range permissions(t) {
		rows[row.what] = true
	}
	got := map[string]bool{}
	for name, d := range walkSchema.Types {
		if strings.HasPrefix(name, "__") || !d.IsCompositeType() || d.IsAbstractType() {
			continue
		}
		for _, f := range fieldsOf(d) {
			field := name + "." + f.Name
			got[field] = true
			row, guarded := guardedFields[field]
			switch {
			case guarded && rows[row], slices.Contains(strings.Fields(open[name]), f.Name):
			case name == "Mutation" && rows[f.Name]:
			case strings.HasSuffix(name, "Payload") && (isNode(f.Type.Name()) || slices.Contains(payloadFields, f.Name)):
			default:
				t.Errorf("nobody says who may see %s: add it to open, or to guardedFields with its row of docs/PERMISSIONS.md", field)
			}
		}
	}
	var gone []string
	for name, fields := range open {
		for field := range strings.FieldsSeq(fields) {
			if !got[name+"."+field] {
				gone = append(gone, name+"."+field)
			}
		}
	}
	for field := range guardedFields {
		if !got[field] {
			gone = append(gone, field)
		}
	}
	if diff := cmp.Diff([]string(nil), gone); diff != "" {
		t.Errorf("these are in no schema: %s", diff)
	}
}
