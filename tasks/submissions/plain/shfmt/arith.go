package main

import "strings"

var arithOps = []string{
	"<<=", ">>=", "**", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||",
	"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=",
	"+", "-", "*", "/", "%", "<", ">", "=", "!", "~", "&", "|", "^", "?", ":", ",", ";", "(", ")",
}

// formatArith prints an arithmetic expression with blanks around operators.
func formatArith(text string, simplify, minify bool) string {
	var out strings.Builder
	operand := false // the previous token ends an operand
	for pos := 0; pos < len(text); {
		c := text[pos]
		if c == ' ' || c == '\t' || c == '\n' || c == '\r' {
			pos++
			continue
		}
		op := ""
		for _, o := range arithOps {
			if strings.HasPrefix(text[pos:], o) {
				op = o
				break
			}
		}
		if op == "" {
			p := &parser{src: text, pos: pos}
			for p.pos < len(text) && (p.pos == pos || strings.IndexByte(" \t\n+-*/%<>=!~&|^?:,;()", text[p.pos]) < 0) {
				if text[p.pos] == '[' {
					p.balanced('[', ']')
				} else if text[p.pos] == '$' || text[p.pos] == '`' || text[p.pos] == '"' || text[p.pos] == '\'' {
					p.part(&Word{})
				} else {
					p.pos++
				}
			}
			s := text[pos:p.pos]
			if simplify {
				if strings.HasPrefix(s, "${") && strings.HasSuffix(s, "}") && isName(s[2:len(s)-1]) {
					s = s[2 : len(s)-1]
				} else if strings.HasPrefix(s, "$") && isName(s[1:]) {
					s = s[1:]
				}
			}
			out.WriteString(s)
			pos = p.pos
			operand = true
			continue
		}
		pos += len(op)
		switch {
		case op == "(":
			out.WriteString(op)
			operand = false
		case op == ")":
			out.WriteString(op)
			operand = true
		case op == "," || op == ";":
			out.WriteString(op)
			if !minify && strings.TrimSpace(text[pos:]) != "" {
				out.WriteByte(' ')
			}
			operand = false
		case (op == "++" || op == "--") || !operand:
			out.WriteString(op)
		case minify:
			out.WriteString(op)
			operand = false
		default:
			out.WriteString(" " + op + " ")
			operand = false
		}
	}
	s := out.String()
	for simplify && strings.HasPrefix(s, "(") && matching(s) == len(s)-1 {
		s = s[1 : len(s)-1]
	}
	return s
}

func matching(s string) int {
	depth := 0
	for i := range s {
		if s[i] == '(' {
			depth++
		} else if s[i] == ')' {
			depth--
			if depth == 0 {
				return i
			}
		}
	}
	return -1
}
