package loaders_test

import (
	"context"
	"fmt"
	"log"
	"slices"
	"strings"
	"sync"

	"twibase/hbase"
	"twibase/hbase/embedded"
	"twibase/hbase/tables"
	"twibase/loaders"
)

type printing struct{ hbase.Store }

func (p printing) Get(ctx context.Context, gets []hbase.Get) ([]hbase.Result, error) {
	var lines []string
	for _, g := range gets {
		columns := strings.Fields(g.Columns)
		slices.Sort(columns)
		const hash = 2
		lines = append(lines, fmt.Sprintf("\t%s %q %s\n", g.Table, g.Row[hash:], columns))
	}
	slices.Sort(lines)
	fmt.Print("call of the store:\n", strings.Join(lines, ""))
	return p.Store.Get(ctx, gets)
}

func openPrinting(ctx context.Context) printing {
	store, err := embedded.Open("")
	if err != nil {
		log.Fatal(err)
	}
	for _, table := range tables.Definitions(1) {
		if err := store.CreateTable(ctx, table); err != nil {
			log.Fatal(err)
		}
	}
	follow := tables.Follow{Username: "Lucy", At: tables.UnknownTime}
	_, err = store.Mutate(ctx, []hbase.Mutation{
		tables.Users.Put("LiLei", &tables.User{Name: new("Li Lei")}, 1),
		tables.Users.Put("Lucy", &tables.User{Name: new("Lucy Green")}, 1),
		hbase.Put{Table: tables.Followers.Table, Row: tables.Followers.Row("LiLei", 0),
			Cells: []hbase.Cell{tables.Followers.Cell(follow, 1)}},
	})
	if err != nil {
		log.Fatal(err)
	}
	return printing{store}
}

// The executor reports its tasks. Their keys are one batch, read when all tasks wait.
func Example() {
	store := openPrinting(context.Background())
	defer func() { _ = store.Close() }()
	ctx := loaders.With(context.Background(), store)

	var names, followers string
	tasks := []func(){
		func() {
			users, _ := loaders.Users.Read(ctx, []string{"LiLei", "Lucy"}, []string{"name"})
			names = *users[0].Name + ", " + *users[1].Name
		},
		func() {
			pages, _ := loaders.Followers.Page(ctx, []loaders.PageKey{{"LiLei", &loaders.Range{Limit: 20}}})
			followers = pages[0].Members[0].Username
		},
	}
	executor := loaders.TasksOf(ctx)
	executor.Start(len(tasks))
	var group sync.WaitGroup
	for _, task := range tasks {
		group.Go(func() {
			defer executor.End()
			task()
		})
	}
	group.Wait()
	fmt.Println(names)
	fmt.Println("followed by", followers)

	// Output:
	// call of the store:
	// 	users "LiLei" [f i:name]
	// 	users "Lucy" [i:name]
	// Li Lei, Lucy Green
	// followed by Lucy
}

// Loads between Enqueue and the call of the returned function share its batch. A row is read once.
func ExampleLoader_Enqueue() {
	store := openPrinting(context.Background())
	defer func() { _ = store.Close() }()
	ctx := loaders.With(context.Background(), store)

	awaitExists := loaders.Users.Exists.Enqueue(ctx, []string{"LiLei", "HanMeimei"})
	related, _ := loaders.Related.Load(ctx, []loaders.EdgeKey{loaders.FollowKey("Lucy", "LiLei")})
	exists, _ := awaitExists()
	fmt.Println("exist:", exists, "follows:", related)

	exists, _ = loaders.Users.Exists.Load(ctx, []string{"LiLei"})
	fmt.Println("exist:", exists)

	// Output:
	// call of the store:
	// 	follows "Lucy\x00LiLei" [i:state]
	// 	users "HanMeimei" [i:name]
	// 	users "LiLei" [i:name]
	// exist: [true false] follows: [false]
	// exist: [true]
}
