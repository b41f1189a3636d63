package resolvers

import (
	"context"

	"twibase/hbase/tables"
	"twibase/loaders"
	"twibase/resolvers/permission"
)

// standing answers which relations of viewers count: those that are there, of viewers who are, and to a role that is. The relations of
// what was deleted are taken away one after the other, and give no rights meanwhile. It takes one round.
func standing(ctx context.Context, relations []loaders.Relation) ([]bool, error) {
	viewers, roles := make([]string, len(relations)), []string(nil)
	for i, r := range relations {
		viewers[i] = r.A
		if r.Kind == tables.Assignments {
			roles = []string{permission.AdminRole}
		}
	}
	viewersExist, rolesExist := loaders.Users.Exists.Ask(ctx, viewers), loaders.Roles.Exists.Ask(ctx, roles)
	related, err := loaders.Related.Load(ctx, relations)
	viewer, viewerErr := viewersExist()
	role, roleErr := rolesExist()
	errs := make(loaders.Errors, len(relations))
	for i, r := range relations {
		related[i] = related[i] && viewer[i]
		if r.Kind == tables.Assignments {
			related[i], errs[i] = related[i] && role[0], loaders.At(roleErr, 0)
		}
	}
	return related, loaders.Join(len(relations), err, viewerErr, errs)
}
