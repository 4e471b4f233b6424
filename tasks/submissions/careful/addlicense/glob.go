package main

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// A glob matches paths: * and ? stay within a name, ** as a whole name
// stands for any number of folders, and there are [classes], {alternatives}
// and \ to escape a character.
type glob struct {
	re *regexp.Regexp
}

func (g *glob) match(path string) bool { return g.re.MatchString(path) }

var errUnclosed = errors.New("closing bracket or character expected")

// compileGlob checks a pattern and prepares it for matching.
func compileGlob(pattern string) (*glob, error) {
	expr, err := globExpr(pattern)
	if err == nil {
		var re *regexp.Regexp
		if re, err = regexp.Compile(expr); err == nil {
			return &glob{re}, nil
		}
	}
	return nil, fmt.Errorf("pattern %q is not valid: %v", pattern, err)
}

// globExpr returns the regular expression for a pattern.
func globExpr(pattern string) (string, error) {
	var b strings.Builder
	b.WriteString(`\A(?s:`)
	braces := 0
	nameStart := true // at the begin of a name between slashes
	for i := 0; i < len(pattern); {
		wasStart := nameStart
		nameStart = false
		rest := pattern[i:]
		switch c := rest[0]; {
		case wasStart && strings.HasPrefix(rest, "**/"):
			b.WriteString(`(?:.*/)?`)
			i += 3
			nameStart = true
		case rest == "/**":
			b.WriteString(`(?:/.*)?`)
			i += 3
		case wasStart && rest == "**":
			b.WriteString(`.*`)
			i += 2
		case wasStart && braces > 0 && (strings.HasPrefix(rest, "**,") || strings.HasPrefix(rest, "**}")):
			b.WriteString(`.*`)
			i += 2
		case c == '*':
			b.WriteString(`[^/]*`)
			i++
		case c == '?':
			b.WriteString(`[^/]`)
			i++
		case c == '[':
			class, n, err := globClass(rest)
			if err != nil {
				return "", err
			}
			b.WriteString(class)
			i += n
		case c == '{':
			b.WriteString(`(?:`)
			braces++
			nameStart = wasStart
			i++
		case c == '}' && braces > 0:
			b.WriteString(`)`)
			braces--
			i++
		case c == ',' && braces > 0:
			b.WriteString(`|`)
			nameStart = true
			i++
		default:
			if c == '\\' {
				if rest = rest[1:]; rest == "" {
					return "", errUnclosed
				}
				i++
			}
			_, n := utf8.DecodeRuneInString(rest)
			b.WriteString(regexp.QuoteMeta(rest[:n]))
			nameStart = c == '/'
			i += n
		}
	}
	if braces > 0 {
		return "", errUnclosed
	}
	b.WriteString(`)\z`)
	return b.String(), nil
}

// globClass returns the regular expression for the class that s begins with,
// and the length of the class.
func globClass(s string) (string, int, error) {
	var b strings.Builder
	b.WriteByte('[')
	i := 1
	if i < len(s) && (s[i] == '^' || s[i] == '!') {
		b.WriteString(`^/`)
		i++
	}
	for first := true; ; first = false {
		if i >= len(s) {
			return "", 0, errUnclosed
		}
		if s[i] == ']' {
			if first {
				return "", 0, errors.New("empty class")
			}
			b.WriteByte(']')
			return b.String(), i + 1, nil
		}
		low, n, err := classChar(s[i:])
		if err != nil {
			return "", 0, err
		}
		i += n
		b.WriteString(low)
		if i+1 < len(s) && s[i] == '-' && s[i+1] != ']' {
			high, n, err := classChar(s[i+1:])
			if err != nil {
				return "", 0, err
			}
			i += 1 + n
			b.WriteString("-" + high)
		}
	}
}

// classChar returns the character, maybe escaped, that s begins with, in the
// form for a class of a regular expression, and its length in s.
func classChar(s string) (string, int, error) {
	escape := 0
	if s[0] == '\\' {
		escape = 1
		if len(s) == 1 {
			return "", 0, errUnclosed
		}
	}
	r, n := utf8.DecodeRuneInString(s[escape:])
	return fmt.Sprintf(`\x{%x}`, r), escape + n, nil
}
