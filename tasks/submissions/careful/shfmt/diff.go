package main

import (
	"fmt"
	"strings"
)

// unifiedDiff returns the difference of two texts with three lines around.
func unifiedDiff(name, old, new string) string {
	a, b := strings.SplitAfter(old, "\n"), strings.SplitAfter(new, "\n")
	if n := len(a); a[n-1] == "" {
		a = a[:n-1]
	}
	if n := len(b); b[n-1] == "" {
		b = b[:n-1]
	}
	// The length of the longest common sequence of the lines behind i and j.
	common := make([][]int, len(a)+1)
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	type edit struct {
		kind byte
		text string
		i, j int
	}
	var edits []edit
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			edits = append(edits, edit{' ', a[i], i, j})
			i++
			j++
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			edits = append(edits, edit{'-', a[i], i, j})
			i++
		default:
			edits = append(edits, edit{'+', b[j], i, j})
			j++
		}
	}
	const context = 3
	var out strings.Builder
	fmt.Fprintf(&out, "--- %s.orig\n+++ %s\n", name, name)
	for k := 0; k < len(edits); {
		if edits[k].kind == ' ' {
			k++
			continue
		}
		start := max(0, k-context)
		end, same := k, 0
		for end < len(edits) && same <= 2*context {
			if edits[end].kind == ' ' {
				same++
			} else {
				same = 0
			}
			end++
		}
		end -= max(0, same-context)
		oldLines, newLines := 0, 0
		var text strings.Builder
		for _, e := range edits[start:end] {
			if e.kind != '+' {
				oldLines++
			}
			if e.kind != '-' {
				newLines++
			}
			text.WriteString(string(e.kind) + e.text)
			if !strings.HasSuffix(e.text, "\n") {
				text.WriteString("\n\\ No newline at end of file\n")
			}
		}
		fmt.Fprintf(&out, "@@ -%s +%s @@\n%s", span(edits[start].i, oldLines), span(edits[start].j, newLines), text.String())
		k = end
	}
	return out.String()
}

func span(start, count int) string {
	if count == 0 {
		return fmt.Sprintf("%d,0", start)
	}
	if count == 1 {
		return fmt.Sprint(start + 1)
	}
	return fmt.Sprintf("%d,%d", start+1, count)
}
