package main

import (
	"errors"
	"regexp"
	"strings"
)

// compileGlob translates a glob with *, **, ?, [...] and {a,b}.
func compileGlob(pattern string) (*regexp.Regexp, error) {
	var re strings.Builder
	re.WriteString("^")
	braces := 0
	for i := 0; i < len(pattern); i++ {
		c := pattern[i]
		switch c {
		case '*':
			if strings.HasPrefix(pattern[i:], "**/") && (i == 0 || pattern[i-1] == '/') {
				re.WriteString("(?:.*/)?")
				i += 2
			} else if strings.HasPrefix(pattern[i:], "**") {
				re.WriteString(".*")
				i++
			} else {
				re.WriteString("[^/]*")
			}
		case '?':
			re.WriteString("[^/]")
		case '[':
			end := strings.IndexByte(pattern[i+1:], ']')
			if end <= 0 {
				return nil, errors.New("syntax error in pattern")
			}
			class := pattern[i+1 : i+1+end]
			if class[0] == '!' {
				class = "^" + class[1:]
			}
			re.WriteString("[" + class + "]")
			i += end + 1
		case '{':
			braces++
			re.WriteString("(?:")
		case '}':
			if braces == 0 {
				return nil, errors.New("syntax error in pattern")
			}
			braces--
			re.WriteString(")")
		case ',':
			if braces > 0 {
				re.WriteString("|")
			} else {
				re.WriteString(",")
			}
		case '\\':
			if i+1 >= len(pattern) {
				return nil, errors.New("syntax error in pattern")
			}
			i++
			re.WriteString(regexp.QuoteMeta(string(pattern[i])))
		default:
			if c < 0x80 {
				re.WriteString(regexp.QuoteMeta(string(c)))
			} else {
				re.WriteByte(c)
			}
		}
	}
	if braces > 0 {
		return nil, errors.New("syntax error in pattern")
	}
	re.WriteString("$")
	return regexp.Compile(re.String())
}
