package conformance

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// position is a document in which VALUE stands for a value of a type.
type position struct {
	kind, typ, set string
	more           []string
}

var positions = []position{
	{"query", "Int", `{users(first:VALUE){nodes{username}}}`, nil},
	{"query", "String", `{users(first:1,after:VALUE){totalCount}}`, nil},
	{"query", "String!", `{user(username:VALUE){username}}`, nil},
	{"query", "ID!", `{node(id:VALUE){id}}`, nil},
	{"query", "[ID!]!", `{nodes(ids:VALUE){id}}`, nil},
	{"query", "ID!", `{nodes(ids:["a",VALUE]){id}}`, nil},
	{"query", "Boolean!", `{__typename@skip(if:VALUE)}`, nil},
	{"query", "Date!", `{games(first:1){nodes{plays(from:VALUE,to:"2015-01-01"){count}}}}`, dates},
	{"subscription", "ID", `{timelineTwitAdded(after:VALUE){id}}`, nil},
	{"mutation", "Int", `{recordPlay(input:{game:"a",count:VALUE}){count}}`, nil},
	{"mutation", "Date", `{recordPlay(input:{game:"a",day:VALUE}){count}}`, dates},
	{"mutation", "Boolean", `{deleteDepartment(input:{code:"a",moveChildrenUp:VALUE}){clientMutationId}}`, nil},
	{"mutation", "ID!", `{addComment(input:{twitId:VALUE,content:"a"}){clientMutationId}}`, nil},
	{"mutation", "String", `{postTwit(input:{content:"a",title:VALUE}){clientMutationId}}`, nil},
	{"mutation", "String!", `{postTwit(input:{content:VALUE}){clientMutationId}}`, nil},
	{"mutation", "URL", `{createUser(input:{username:"a",name:"a",avatarUrl:VALUE}){clientMutationId}}`, urls},
	{"mutation", "[URL!]", `{postTwit(input:{content:"a",photoUrls:VALUE}){clientMutationId}}`, urls},
	{
		"mutation", "URL!",
		`{postTwit(input:{content:"a",photoUrls:["https://example.org",VALUE]}){clientMutationId}}`, nil,
	},
	{"mutation", "Visibility", `{postTwit(input:{content:"a",visibility:VALUE}){clientMutationId}}`, nil},
	{"mutation", "PostTwitInput!", `{postTwit(input:VALUE){clientMutationId}}`, nil},
	{"mutation", "LogInInput!", `{logIn(input:VALUE){clientMutationId}}`, nil},
}

func (p position) requests() (all []request) {
	quoted := []string{}
	for _, content := range p.more {
		quoted = append(quoted, strconv.Quote(content))
	}
	variable := strings.Replace(p.set, "VALUE", "$v", 1)
	for _, v := range slices.Concat(jsonValues, quoted) {
		all = append(
			all,
			request{Query: fmt.Sprintf("%s($v:%s)%s", p.kind, p.typ, variable), Variables: `{"v":` + v + `}`},
		)
	}
	for _, v := range slices.Concat(literals, quoted) {
		all = append(all, request{Query: p.kind + strings.Replace(p.set, "VALUE", v, 1)})
		all = append(all, request{Query: fmt.Sprintf("%s($v:%s=%s)%s", p.kind, p.typ, v, variable)})
	}
	return all
}
