package e2e

import "testing"

func TestPlaysAddToCountsOfTheirDay(t *testing.T) {
	boss, fan := as("boss"), as("fan")
	const sums = `{game(code:"go"){name playerCount isPlayed players{nodes{username}} plays(from:"2014-12-01",to:"2014-12-31"){day count}} user(username:"fan"){hasPlayed(code:"go") games{edges{day count node{code}}}}}`
	play := func(input string) string {
		return mutation("recordPlay", input, `day count game{playerCount} user{username games{totalCount}}`)
	}
	runSteps(t, []step{
		{boss, mutation("createGame", `code:"go"`, `game{code name playerCount isPlayed}`),
			`{"createGame":{"game":{"code":"go","name":"go","playerCount":0,"isPlayed":false},"userErrors":[]}}`},
		{boss, mutation("updateGame", `code:"go",name:"围棋"`, `game{name}`),
			`{"updateGame":{"game":{"name":"围棋"},"userErrors":[]}}`},
		{fan, play(`game:"go",day:"2014-12-25",idempotencyKey:"k"`), `{"recordPlay":{"day":"2014-12-25","count":1,"game":{"playerCount":1},"user":{"username":"fan","games":{"totalCount":1}},"userErrors":[]}}`},
		{fan, play(`game:"go",day:"2014-12-26",count:9,idempotencyKey:"k"`), `{"recordPlay":{"day":"2014-12-25","count":1,"game":{"playerCount":1},"user":{"username":"fan","games":{"totalCount":1}},"userErrors":[]}}`},
		{fan, play(`game:"go",day:"2014-12-25",count:3`), `{"recordPlay":{"day":"2014-12-25","count":4,"game":{"playerCount":1},"user":{"username":"fan","games":{"totalCount":1}},"userErrors":[]}}`},
		{fan, play(`game:"go",day:"2014-12-24"`), `{"recordPlay":{"day":"2014-12-24","count":1,"game":{"playerCount":1},"user":{"username":"fan","games":{"totalCount":1}},"userErrors":[]}}`},
		{boss, play(`game:"go",day:"2014-12-25"`), `{"recordPlay":{"day":"2014-12-25","count":1,"game":{"playerCount":2},"user":{"username":"boss","games":{"totalCount":1}},"userErrors":[]}}`},
		{unauthenticated, sums, `{"game":{"name":"围棋","playerCount":2,"isPlayed":true,"players":{"nodes":[{"username":"boss"},{"username":"fan"}]},"plays":[{"day":"2014-12-24","count":1},{"day":"2014-12-25","count":5}]},` +
			`"user":{"hasPlayed":true,"games":{"edges":[{"day":"2014-12-25","count":5,"node":{"code":"go"}}]}}}`},
		{boss, mutation("deleteGame", `code:"go"`, `game{name}`), `{"deleteGame":{"game":{"name":"围棋"},"userErrors":[]}}`},
		{fan, mutation("recordPlay", `game:"go"`, `count`),
			`{"recordPlay":{"count":null,"userErrors":[{"code":"NOT_FOUND","field":"game"}]}}`},
		{unauthenticated, `{game(code:"go"){name}}`, `{"game":null}`},
		{boss, mutation("createGame", `code:"go",name:"Go"`, `game{name}`),
			`{"createGame":{"game":{"name":"Go"},"userErrors":[]}}`},
		{unauthenticated, sums, `{"game":{"name":"Go","playerCount":0,"isPlayed":false,"players":{"nodes":[]},"plays":[]},"user":{"hasPlayed":false,"games":{"edges":[]}}}`},
	})
}
