package main

import "strings"

func (w *word) add(text string) {
	if n := len(w.parts); n > 0 && w.parts[n-1].body == nil && !w.parts[n-1].isArr {
		w.parts[n-1].text += text
		return
	}
	w.parts = append(w.parts, part{text: text})
}

func (w *word) plain() string {
	if len(w.parts) == 1 && w.parts[0].body == nil && !w.parts[0].isArr {
		return w.parts[0].text
	}
	return ""
}

// take moves over n bytes and returns them.
func (p *parser) take(n int) string {
	text := p.src[p.pos : p.pos+n]
	p.line += strings.Count(text, "\n")
	p.pos += n
	return text
}

// wordIn parses a word, or returns nil where there is none.
func (p *parser) wordIn(regex bool) *word {
	w := &word{line: p.line}
	depth := 0
	for p.pos < len(p.src) {
		c := p.peek()
		switch {
		case p.at("\\\n"):
			p.pos += 2
			p.line++
		case c == '\\':
			w.add(p.take(min(2, len(p.src)-p.pos)))
		case c == '\'':
			p.singleQuoted(w, "'")
		case c == '"':
			p.doubleQuoted(w)
		case c == '`', c == '$':
			p.dollar(w, false)
		case !p.posix && (p.at("<(") || p.at(">(")):
			p.program(w, p.src[p.pos:p.pos+2])
		case c == '(' && len(w.parts) > 0 && !p.posix && endsAssign(w):
			p.array(w)
		case c == '(' && !p.posix && len(w.parts) > 0 && extGlob(w):
			w.add(p.take(1))
			depth++
		case c == ')' && depth > 0:
			w.add(p.take(1))
			depth--
		case depth > 0 && c != '\n':
			w.add(p.take(1))
		case regex && strings.IndexByte("()|<>&;", c) >= 0:
			w.add(p.take(1))
		case isMeta(c):
			goto done
		default:
			w.add(p.take(1))
		}
	}
done:
	if len(w.parts) == 0 {
		return nil
	}
	w.end = p.line
	p.lastLine = p.line
	return w
}

func endsAssign(w *word) bool {
	text := w.plain()
	name, ok := strings.CutSuffix(text, "=")
	if !ok {
		return false
	}
	name = strings.TrimSuffix(name, "+")
	if i := strings.IndexByte(name, '['); i > 0 {
		name = name[:i]
	}
	return isName(name)
}

func extGlob(w *word) bool {
	last := w.parts[len(w.parts)-1]
	return last.body == nil && last.text != "" && strings.IndexByte("@?*+!", last.text[len(last.text)-1]) >= 0
}

func (p *parser) singleQuoted(w *word, open string) {
	end := strings.IndexByte(p.src[p.pos+len(open):], '\'')
	if end < 0 {
		p.fail("reached EOF without closing quote '")
	}
	w.add(p.take(len(open) + end + 1))
}

func (p *parser) doubleQuoted(w *word) {
	start := *p
	w.add(p.take(1))
	for {
		if p.pos >= len(p.src) {
			p.pos, p.line = start.pos, start.line
			p.fail(`reached EOF without closing quote "`)
		}
		switch c := p.peek(); c {
		case '"':
			w.add(p.take(1))
			return
		case '\\':
			w.add(p.take(min(2, len(p.src)-p.pos)))
		case '$', '`':
			p.dollar(w, true)
		default:
			w.add(p.take(1))
		}
	}
}

// dollar parses an expansion.
func (p *parser) dollar(w *word, quoted bool) {
	switch {
	case p.peek() == '`':
		p.backquote(w)
	case p.at("$(("):
		if text, ok := p.tryArith("$((", "))"); ok {
			w.add("$((" + text + "))")
			return
		}
		p.program(w, "$(")
	case p.at("$("):
		p.program(w, "$(")
	case p.at("${"):
		p.braced(w)
	case p.at("$'") && !quoted && !p.posix:
		i := p.pos + 2
		for i < len(p.src) && p.src[i] != '\'' {
			if p.src[i] == '\\' {
				i++
			}
			i++
		}
		if i >= len(p.src) {
			p.fail("reached EOF without closing quote '")
		}
		w.add(p.take(i + 1 - p.pos))
	default:
		w.add(p.take(1))
	}
}

// braced parses ${...}, which is kept but for the programs in it.
func (p *parser) braced(w *word) {
	start := *p
	w.add(p.take(2))
	if p.peek() == '}' {
		p.fail("parameter expansion requires a literal")
	}
	for {
		if p.pos >= len(p.src) {
			p.pos, p.line = start.pos, start.line
			p.fail("reached EOF without matching ${ with }")
		}
		switch c := p.peek(); c {
		case '}':
			w.add(p.take(1))
			return
		case '\\':
			w.add(p.take(min(2, len(p.src)-p.pos)))
		case '\'':
			if strings.IndexByte(p.src[p.pos+1:], '\'') < 0 {
				w.add(p.take(1))
			} else {
				p.singleQuoted(w, "'")
			}
		case '"':
			p.doubleQuoted(w)
		case '$', '`':
			p.dollar(w, true)
		default:
			w.add(p.take(1))
		}
	}
}

// program parses $( ), <( ) or >( ).
func (p *parser) program(w *word, open string) {
	pt := part{open: open, line: p.line}
	p.pos += len(open)
	saved, pending := p.comments, p.pending
	p.comments, p.pending = nil, nil
	l := p.list()
	if p.peek() != ')' {
		p.fail("reached EOF or a stray word without matching ( with )")
	}
	p.pos++
	p.comments, p.pending = saved, append(pending, p.pending...)
	pt.body = &l
	pt.shut = p.line
	w.parts = append(w.parts, pt)
}

func (p *parser) backquote(w *word) {
	i := p.pos + 1
	var b strings.Builder
	for ; i < len(p.src) && p.src[i] != '`'; i++ {
		if p.src[i] == '\\' && i+1 < len(p.src) && strings.IndexByte("`\\$", p.src[i+1]) >= 0 {
			if p.src[i+1] != '$' {
				i++
			}
		}
		b.WriteByte(p.src[i])
	}
	if i >= len(p.src) {
		p.fail("reached EOF without closing quote `")
	}
	inner := &parser{src: b.String(), line: p.line, posix: p.posix, simple: p.simple}
	pt := part{open: "$(", line: p.line}
	l := inner.list()
	if inner.pos < len(inner.src) {
		p.fail("unexpected %s", inner.token())
	}
	p.take(i + 1 - p.pos)
	pt.body = &l
	pt.shut = p.line
	w.parts = append(w.parts, pt)
}

// array parses the items of NAME=( ).
func (p *parser) array(w *word) {
	pt := part{isArr: true, line: p.line}
	p.pos++
	for {
		p.blanks()
		if p.pos >= len(p.src) {
			p.fail("reached EOF without matching ( with )")
		}
		switch p.peek() {
		case '\n':
			p.newline()
			continue
		case '#':
			p.comment()
			n := len(p.comments) - 1
			c := p.comments[n]
			p.comments = p.comments[:n]
			pt.array = append(pt.array, arrayItem{comment: &c, line: c.line})
			continue
		case ')':
			p.pos++
			pt.shut = p.line
			w.parts = append(w.parts, pt)
			return
		}
		line := p.line
		pt.array = append(pt.array, arrayItem{word: p.mustWord("("), line: line})
	}
}

// tryArith parses an arithmetic expression and returns its formatted text.
func (p *parser) tryArith(open, shut string) (string, bool) {
	depth := 0
	i := p.pos + len(open)
	for ; i < len(p.src); i++ {
		switch c := p.src[i]; {
		case c == '(':
			depth++
		case c == ')' && depth > 0:
			depth--
		case c == ')':
			if !strings.HasPrefix(p.src[i:], shut) {
				return "", false
			}
			text, ok := formatArith(p.src[p.pos+len(open):i], p.simple)
			if ok {
				p.take(i + len(shut) - p.pos)
				p.lastLine = p.line
			}
			return text, ok
		}
	}
	return "", false
}

var arithOps = []string{"<<=", ">>=", "**", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||",
	"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "=", "<", ">", "+", "-", "*", "/", "%", "&", "|", "^", "!", "~", "?", ":", ",", ";", "(", ")"}

// formatArith puts blanks between the operators of an expression.
func formatArith(s string, simple bool) (string, bool) {
	s = strings.TrimSpace(strings.ReplaceAll(s, "\\\n", " "))
	if simple && strings.HasPrefix(s, "(") && strings.IndexByte(s, ')') == len(s)-1 {
		s = s[1 : len(s)-1]
	}
	var b strings.Builder
	operand := false // the last token ends an operand
	for i := 0; i < len(s); {
		if strings.IndexByte(" \t\r\n", s[i]) >= 0 {
			i++
			continue
		}
		op := ""
		for _, o := range arithOps {
			if strings.HasPrefix(s[i:], o) {
				op = o
				break
			}
		}
		if op == "" {
			j := i
			depth := 0
			for j < len(s) {
				c := s[j]
				if c == '{' || c == '[' || c == '(' && (depth > 0 || j > i && s[j-1] == '$') {
					depth++
				} else if depth > 0 && (c == '}' || c == ']' || c == ')') {
					depth--
				} else if depth == 0 && (strings.IndexByte(" \t\n()<>=!&|+-*/%^~?:,;", c) >= 0) && !(c == '#' || j > i && s[j-1] == '$') {
					break
				}
				j++
			}
			if operand || j == i {
				return "", false
			}
			text := s[i:j]
			if simple && len(text) > 1 && text[0] == '$' && isName(text[1:]) {
				text = text[1:]
			}
			b.WriteString(text)
			operand = true
			i = j
			continue
		}
		i += len(op)
		switch {
		case op == "(":
			if operand {
				return "", false
			}
			b.WriteString("(")
		case op == ")":
			b.WriteString(")")
			operand = true
		case op == "++" || op == "--":
			b.WriteString(op)
		case op == "!" || op == "~" || !operand && (op == "-" || op == "+"):
			b.WriteString(op)
			operand = false
		case op == "," || op == ";":
			b.WriteString(op + " ")
			operand = false
		default:
			if !operand {
				return "", false
			}
			b.WriteString(" " + op + " ")
			operand = false
		}
	}
	return strings.TrimRight(b.String(), " "), true
}
