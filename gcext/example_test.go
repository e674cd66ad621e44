package gcext_test

import (
	"fmt"

	"github.com/sextongc/sexton/gcext"
)

// A plan is made of numbers alone. Two machines stand on a network that they do not own; the network
// subscribed to both, so it goes after them. The project owns all three and goes last.
func ExampleNewPlan() {
	names := []string{"project", "network", "vm1", "vm2", "archive"}
	plan := gcext.NewPlan(&gcext.Graph{
		Owner: []int32{-1, 0, 0, 0, -1},
		Deps: []gcext.Dependency{
			{Publisher: 2, Subscriber: 1},
			{Publisher: 3, Subscriber: 1},
		},
		Doomed: []bool{true, true, true, true, false}, // the archive stays
	})
	for _, i := range plan.Order {
		fmt.Print(plan.Level[i], " ", names[i])
		for _, b := range plan.After(i) {
			why := "which subscribed to it"
			if b.Dependency == gcext.Owned {
				why = "which owns it"
			}
			fmt.Printf(", after %s (it is before %s, %s)", names[b.Object], names[b.To.Object], why)
		}
		fmt.Println()
	}
	fmt.Print("notified of:")
	for _, i := range plan.Notification() {
		fmt.Print(" ", names[i])
	}
	fmt.Println()
	// Output:
	// 1 vm1
	// 1 vm2
	// 2 network, after vm1 (it is before network, which subscribed to it), after vm2 (it is before network, which subscribed to it)
	// 3 project, after vm1 (it is before project, which owns it), after vm2 (it is before project, which owns it), after network (it is before project, which owns it)
	// notified of: project network vm1 vm2
}
