package e2e

import "testing"

func TestDepartmentMutationsChangeTheTree(t *testing.T) {
	boss, tree := as("boss"), `{topDepartments{totalCount nodes{code descendants{edges{depth node{code name parent{code}}}}}}}`
	runSteps(t, []step{
		{boss, mutation("createDepartment", `code:"web",name:"Web",parent:"dev",idempotencyKey:"k",clientMutationId:"m"`,
			`clientMutationId department{code name parent{code} ancestors{code} subDepartments{totalCount}}`),
			`{"createDepartment":{"clientMutationId":"m","department":{"code":"web","name":"Web","parent":{"code":"dev"},"ancestors":[{"code":"dev"},{"code":"ceo"}],"subDepartments":{"totalCount":0}},"userErrors":[]}}`},
		{boss, mutation("createDepartment", `code:"web",name:"Again",parent:"dev",idempotencyKey:"k"`, `department{name}`),
			`{"createDepartment":{"department":{"name":"Web"},"userErrors":[]}}`},
		{boss, mutation("createDepartment", `code:"web",name:"Another",idempotencyKey:"l"`, `department{name}`),
			`{"createDepartment":{"department":null,"userErrors":[{"code":"ALREADY_EXISTS","field":"code"}]}}`},
		{boss, mutation("createDepartment", `code:"ops",name:"Operations"`, `department{parent{code}}`),
			`{"createDepartment":{"department":{"parent":null},"userErrors":[]}}`},
		{boss, tree, `{"topDepartments":{"totalCount":3,"nodes":[` +
			`{"code":"ceo","descendants":{"edges":[{"depth":1,"node":{"code":"dev","name":"Development","parent":{"code":"ceo"}}},{"depth":2,"node":{"code":"web","name":"Web","parent":{"code":"dev"}}}]}},` +
			`{"code":"empty","descendants":{"edges":[]}},{"code":"ops","descendants":{"edges":[]}}]}}`},
		{boss, mutation("updateDepartment", `code:"ops",name:"Alpha"`, `department{name}`),
			`{"updateDepartment":{"department":{"name":"Alpha"},"userErrors":[]}}`},
		{boss, `{topDepartments{nodes{code}}}`,
			`{"topDepartments":{"nodes":[{"code":"ops"},{"code":"ceo"},{"code":"empty"}]}}`},
		{boss, mutation("moveDepartment", `code:"dev",parent:"ops"`,
			`department{ancestors{code} subDepartments{nodes{code}}}`),
			`{"moveDepartment":{"department":{"ancestors":[{"code":"ops"}],"subDepartments":{"nodes":[{"code":"web"}]}},"userErrors":[]}}`},
		{boss, mutation("moveDepartment", `code:"ops",parent:"web"`, `department{code}`),
			`{"moveDepartment":{"department":null,"userErrors":[{"code":"CYCLE","field":"parent"}]}}`},
		{boss, mutation("deleteDepartment", `code:"dev"`, `department{code}`),
			`{"deleteDepartment":{"department":null,"userErrors":[{"code":"HAS_CHILDREN","field":"code"}]}}`},
		{boss, mutation("deleteDepartment", `code:"dev",moveChildrenUp:true`, `department{code name}`),
			`{"deleteDepartment":{"department":{"code":"dev","name":"Development"},"userErrors":[]}}`},
		{boss, `{department(code:"dev"){code} role(code:"developer"){department{code name}} web:department(code:"web"){parent{code}} ops:department(code:"ops"){subDepartments{totalCount nodes{code}}}}`,
			`{"department":null,"role":{"department":null},"web":{"parent":{"code":"ops"}},"ops":{"subDepartments":{"totalCount":1,"nodes":[{"code":"web"}]}}}`},
		// The code is reusable. The new department has no relations.
		{boss, mutation("createDepartment", `code:"dev",name:"New"`,
			`department{name parent{code} roles{totalCount} subDepartments{totalCount}}`),
			`{"createDepartment":{"department":{"name":"New","parent":null,"roles":{"totalCount":0},"subDepartments":{"totalCount":0}},"userErrors":[]}}`},
	})
}
