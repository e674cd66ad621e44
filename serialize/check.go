package serialize

import "math"

const maxInteger = 1<<53 - 1

func isInteger(v float64) bool { return v == math.Trunc(v) && math.Abs(v) <= maxInteger }
