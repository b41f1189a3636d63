package resolvers

type Resolver struct{}
