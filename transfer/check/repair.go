package check

import "context"

// maxRuns is how often RepairAll checks a store at most. A member of a bucket that no directory names, say, is moved
// into another one, then seen not to follow from anything, and then not counted any more.
const maxRuns = 8

// Result says what became of violations.
type Result struct {
	// Found is how many there were in all, Left how many are still there.
	Found, Left int
}

// RepairAll repairs until nothing is left that can be repaired, and proves that by going through the store once more.
// Interrupted, or done twice, it comes to the same.
func (c Checker) RepairAll(ctx context.Context) (Result, error) {
	var result Result
	report := c.Report
	c.Repair = true
	for n := range maxRuns {
		found, lost := 0, 0
		c.Report = func(v Violation) {
			if found++; v.Lost {
				lost++
			}
			if report != nil && (n == 0 || !v.Lost) {
				report(v)
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
