package main

import (
	"fmt"
	"strings"
)

type edit struct {
	op   byte
	line string
}

func splitLines(s string) []string {
	lines := strings.SplitAfter(s, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// unified gives a unified diff of two texts.
func unified(name, old, new string) string {
	a, b := splitLines(old), splitLines(new)
	n, m := len(a), len(b)
	lcs := make([][]int, n+1)
	for i := range lcs {
		lcs[i] = make([]int, m+1)
	}
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			if a[i] == b[j] {
				lcs[i][j] = lcs[i+1][j+1] + 1
			} else {
				lcs[i][j] = max(lcs[i+1][j], lcs[i][j+1])
			}
		}
	}
	var edits []edit
	i, j := 0, 0
	for i < n || j < m {
		switch {
		case i < n && j < m && a[i] == b[j]:
			edits = append(edits, edit{' ', a[i]})
			i++
			j++
		case i < n && (j == m || lcs[i+1][j] >= lcs[i][j+1]):
			edits = append(edits, edit{'-', a[i]})
			i++
		default:
			edits = append(edits, edit{'+', b[j]})
			j++
		}
	}
	var out strings.Builder
	fmt.Fprintf(&out, "--- %s.orig\n+++ %s\n", name, name)
	const context = 3
	for k := 0; k < len(edits); {
		if edits[k].op == ' ' {
			k++
			continue
		}
		start := max(0, k-context)
		end, last := k, k
		for end < len(edits) && end-last <= 2*context {
			if edits[end].op != ' ' {
				last = end
			}
			end++
		}
		end = min(len(edits), last+context+1)
		la, lb := 0, 0
		for _, e := range edits[:start] {
			if e.op != '+' {
				la++
			}
			if e.op != '-' {
				lb++
			}
		}
		ca, cb := 0, 0
		for _, e := range edits[start:end] {
			if e.op != '+' {
				ca++
			}
			if e.op != '-' {
				cb++
			}
		}
		fmt.Fprintf(&out, "@@ -%s +%s @@\n", span(la, ca), span(lb, cb))
		for _, e := range edits[start:end] {
			out.WriteByte(e.op)
			out.WriteString(e.line)
			if !strings.HasSuffix(e.line, "\n") {
				out.WriteString("\n\\ No newline at end of file\n")
			}
		}
		k = end
	}
	return out.String()
}

func span(start, count int) string {
	if count > 0 {
		start++
	}
	if count == 1 {
		return fmt.Sprint(start)
	}
	return fmt.Sprintf("%d,%d", start, count)
}
