package writers

import (
	"context"
	"testing"

	"twibase/hbase"
)

// The gateway does not know that the tree's last operation is complete.
func callsOfDepartments(t *testing.T) (prepare func(context.Context, hbase.Store, *Writers), all []mutationCalls) {
	return func(ctx context.Context, store hbase.Store, w *Writers) {
			chain(t, 3)(store)
			if err := create("leaf", "")(ctx, w); err != nil {
				t.Fatal(err)
			}
			w.Close(ctx)
		}, []mutationCalls{
			{"createDepartment", create("new", ""), []string{
				"Get departments 2",
				"Get departments 2",
				"Get departments 2, Get intents, Put intents",
				"CheckAndPut departments",
				"CheckAndPut departments, Put departments 2",
				"Get departments",
			}},
			{"createDepartment, below another", create("new", "d3"), []string{
				"Get departments 3",
				"Get departments 3",
				"Get departments 2, Get intents, Put intents",
				"CheckAndPut departments",
				"CheckAndPut departments, Put departments 2",
				"Get departments",
			}},
			{"updateDepartment", rename("d3", "x"), []string{
				"Get departments 2",
				"Get departments 2",
				"Get departments 2, Get intents, Put intents",
				"CheckAndPut departments",
				"Delete departments, Put departments 2",
				"Get departments 2",
			}},
			{"moveDepartment, to the top", move("d3", ""), []string{
				"Get departments 2",
				"Get departments 2",
				"Get departments 4, Get intents, Put intents",
				"CheckAndPut departments",
				"CheckAndPut departments 2, Delete departments, Put departments 2",
				"Get departments 2",
			}},
			{"moveDepartment, below another", move("leaf", "d2"), []string{
				"Get departments 3",
				"Get departments 3",
				"Get departments",
				"Get departments 4, Get intents, Put intents",
				"CheckAndPut departments",
				"CheckAndPut departments 2, Delete departments, Put departments 2",
				"Get departments 2",
			}},
			{"deleteDepartment", erase("leaf", false), []string{
				"Get departments 3",
				"Get departments 3",
				"Get departments 3, Get intents, Put intents",
				"CheckAndPut departments",
				"CheckAndPut departments 2, Delete departments, Put departments",
				"Get departments",
			}},
			{"deleteDepartment, and move children up", erase("d2", true), []string{
				"Get departments 3",
				"Get departments 3",
				"Get departments 5, Get intents, Put intents",
				"CheckAndPut departments",
				"CheckAndPut departments 2, Delete departments 2, Put departments 3",
				"Get departments 3",
			}},
		}
}
