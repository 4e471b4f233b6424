package main

import "strings"

// word reads a word, or returns nil where none stands.
func (p *parser) word() *Word {
	p.blanks()
	if p.peek() == '#' {
		return nil
	}
	w := &Word{line: p.line()}
	start := p.pos
	for p.pos < len(p.src) && p.part(w) {
	}
	if p.pos == start {
		return nil
	}
	w.end = p.line()
	return w
}

func (w *Word) add(s string) {
	if n := len(w.parts); n > 0 {
		if last, ok := w.parts[n-1].(string); ok {
			w.parts[n-1] = last + s
			return
		}
	}
	w.parts = append(w.parts, s)
}

func (w *Word) text() string {
	s := ""
	for _, part := range w.parts {
		if t, ok := part.(string); ok {
			s += t
		}
	}
	return s
}

func (p *parser) part(w *Word) bool {
	c := p.peek()
	switch {
	case p.has("\\\n"):
		p.pos += 2
	case c == '\\':
		end := min(p.pos+2, len(p.src))
		w.add(p.src[p.pos:end])
		p.pos = end
	case c == '\'':
		w.add(p.until("'", 1))
	case c == '"':
		p.pos++
		q := &Word{}
		for p.peek() != '"' {
			switch {
			case p.pos >= len(p.src):
				p.fail("reached end without closing quote \"")
			case p.peek() == '\\' && p.pos+1 < len(p.src):
				q.add(p.src[p.pos : p.pos+2])
				p.pos += 2
			case p.peek() == '$' || p.peek() == '`':
				p.dollar(q, true)
			default:
				q.add(p.src[p.pos : p.pos+1])
				p.pos++
			}
		}
		p.pos++
		w.parts = append(w.parts, &Quoted{q.parts})
	case c == '$' || c == '`':
		p.dollar(w, false)
	case (p.has("<(") || p.has(">(")) && !p.posix():
		line := p.line()
		p.pos += 2
		l := p.subst()
		w.parts = append(w.parts, &CmdSubst{string(c) + "(", l, line, p.line()})
	case c == '(':
		text := w.text()
		if n := len(text); n > 0 && len(w.parts) == 1 && text[n-1] == '=' && !isDelim(text[0]) {
			if p.posix() {
				p.fail("arrays are a bash/mksh feature")
			}
			w.parts = append(w.parts, p.array())
		} else if n > 0 && strings.IndexByte("?*+@!", text[n-1]) >= 0 && !p.posix() {
			w.add(p.balanced('(', ')'))
		} else {
			return false
		}
	case isDelim(c):
		return false
	case c == '[' && len(w.parts) == 1 && isName(w.text()):
		// an index, which may hold blanks
		if end := strings.IndexAny(p.src[p.pos:], "]\n"); end > 0 && p.src[p.pos+end] == ']' && strings.HasPrefix(p.src[p.pos+end+1:], "=") {
			w.add(p.src[p.pos : p.pos+end+1])
			p.pos += end + 1
		} else {
			w.add("[")
			p.pos++
		}
	default:
		w.add(string([]byte{c}))
		p.pos++
	}
	return true
}

// until reads up to the end mark, which is looked for from skip on.
func (p *parser) until(end string, skip int) string {
	i := strings.Index(p.src[p.pos+skip:], end)
	if i < 0 {
		p.fail("reached end without closing quote %s", end)
	}
	s := p.src[p.pos : p.pos+skip+i+len(end)]
	p.pos += len(s)
	return s
}

// balanced reads a text from an opening to the matching closing character.
func (p *parser) balanced(open, close byte) string {
	start, depth := p.pos, 0
	for p.pos < len(p.src) {
		switch c := p.peek(); c {
		case '\\':
			p.pos++
		case '\'', '"', '$', '`':
			if c == '\'' && open == '{' && strings.IndexByte(p.src[p.pos+1:], '\'') < 0 {
				break
			}
			at := p.pos
			p.part(&Word{})
			if p.pos > at {
				continue
			}
		case open:
			depth++
		case close:
			depth--
			if depth == 0 {
				p.pos++
				return p.src[start:p.pos]
			}
		}
		p.pos++
	}
	p.pos = start
	p.fail("reached end without matching %c with %c", open, close)
	return ""
}

func (p *parser) subst() *List {
	saved, docs := p.comments, p.heredocs
	p.comments, p.heredocs = nil, nil
	l := p.list()
	if p.peek() != ')' {
		p.fail("reached end without matching ( with )")
	}
	p.pos++
	p.comments, p.heredocs = saved, docs
	return l
}

func (p *parser) dollar(w *Word, quoted bool) {
	line := p.line()
	switch {
	case p.peek() == '`':
		start := p.pos
		p.pos++
		var inner strings.Builder
		for p.peek() != '`' {
			if p.pos >= len(p.src) {
				p.pos = start
				p.fail("reached end without closing quote `")
			}
			if p.peek() == '\\' && p.pos+1 < len(p.src) {
				next := p.src[p.pos+1]
				if next == '`' || next == '\\' || next == '$' || quoted && next == '"' {
					p.pos++
				} else {
					inner.WriteByte('\\')
					p.pos++
				}
			}
			inner.WriteByte(p.src[p.pos])
			p.pos++
		}
		p.pos++
		sub := &parser{src: inner.String(), lang: p.lang, base: line - 1}
		l := sub.list()
		if sub.pos < len(sub.src) {
			p.fail("unexpected text in backquotes")
		}
		w.parts = append(w.parts, &CmdSubst{"$(", l, line, p.line()})
	case p.has("$(("):
		if text, ok := p.arith("$((", "))"); ok {
			w.parts = append(w.parts, &Arith{text})
			return
		}
		fallthrough
	case p.has("$("):
		p.pos += 2
		l := p.subst()
		w.parts = append(w.parts, &CmdSubst{"$(", l, line, p.line()})
	case p.has("${"):
		p.pos++
		w.add("$" + p.balanced('{', '}'))
	case p.has("$'") && !quoted:
		start := p.pos
		p.pos += 2
		for p.peek() != '\'' {
			if p.peek() == '\\' {
				p.pos++
			}
			p.pos++
			if p.pos >= len(p.src) {
				p.pos = start
				p.fail("reached end without closing quote '")
			}
		}
		p.pos++
		w.add(p.src[start:p.pos])
	default:
		w.add("$")
		p.pos++
		if c := p.peek(); strings.IndexByte("#?*@!-$", c) >= 0 && c != 0 {
			w.add(string(c))
			p.pos++
		}
	}
}

// arith reads an arithmetic expression between open and close.
func (p *parser) arith(open, close string) (string, bool) {
	start := p.pos
	p.pos += len(open)
	from, depth := p.pos, 0
	for p.pos < len(p.src) {
		c := p.peek()
		switch {
		case c == '(':
			depth++
		case c == ')' && depth > 0:
			depth--
		case p.has(close):
			text := p.src[from:p.pos]
			p.pos += len(close)
			return text, true
		case c == ')':
			p.pos = start
			return "", false
		case c == '$' && (p.has("$(") || p.has("${")), c == '`', c == '"':
			p.part(&Word{})
			continue
		}
		p.pos++
	}
	p.pos = start
	return "", false
}

func (p *parser) array() *Array {
	a := &Array{line: p.line()}
	p.pos++
	saved := p.comments
	for {
		p.newlines()
		if p.peek() == ')' {
			break
		}
		w := p.word()
		if w == nil {
			p.fail("array elements must be words")
		}
		a.elems = append(a.elems, w)
	}
	p.comments = saved
	p.pos++
	a.end = p.line()
	return a
}
