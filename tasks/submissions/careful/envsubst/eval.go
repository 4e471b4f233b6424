package main

import (
	"fmt"
	"strings"
)

// An evaluator replaces references by the values of their variables.
type evaluator struct {
	lookup   func(string) (string, bool)
	noUnset  bool
	noEmpty  bool
	failFast bool
	failures []error // the restrictions that are not met
}

func (e *evaluator) evaluate(nodes []node) string {
	var b strings.Builder
	for _, n := range nodes {
		if n.ref == nil {
			b.WriteString(n.text)
		} else {
			b.WriteString(e.reference(n.ref))
		}
		if e.failFast && len(e.failures) > 0 {
			break
		}
	}
	return b.String()
}

func (e *evaluator) reference(r *reference) string {
	value, set := e.lookup(r.name)
	switch r.op {
	case "-", "=":
		if !set {
			return e.evaluate(r.word)
		}
	case ":-", ":=":
		if value == "" {
			return e.evaluate(r.word)
		}
	case "+":
		if set {
			return e.evaluate(r.word)
		}
		return ""
	case ":+":
		if value != "" {
			return e.evaluate(r.word)
		}
		return ""
	}
	switch {
	case !set && e.noUnset:
		e.failures = append(e.failures, fmt.Errorf("variable ${%s} not set", r.name))
	case set && value == "" && e.noEmpty:
		e.failures = append(e.failures, fmt.Errorf("variable ${%s} set but empty", r.name))
	}
	return value
}
