package check

import "context"

// runs is how often RepairAll goes through a store at most. What lies in a bucket that no directory names, say, is brought into another one, then seen
// not to follow from anything, and then not counted any more.
const runs = 8

// Result says what became of violations.
type Result struct {
	// Found is how many there were in all, Left how many are still there.
	Found, Left int
}

// RepairAll repairs until nothing is left that can be repaired, and proves that by going through the store once more. Interrupted, or done twice, it comes to
// the same.
func (c Checker) RepairAll(ctx context.Context) (Result, error) {
	var result Result
	report := c.Report
	c.Repair = true
	for n := range runs {
		found, lost := 0, 0
		c.Report = func(b Violation) {
			if found++; b.Lost {
				lost++
			}
			if report != nil && (n == 0 || !b.Lost) {
				report(b)
			}
		}
		if err := c.Run(ctx); err != nil {
			return result, err
		}
		if result.Left = found; n == 0 || found > lost {
			result.Found += found
		}
		if found == lost {
			break
		}
	}
	return result, nil
}
