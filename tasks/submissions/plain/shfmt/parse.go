package main

import (
	"fmt"
	"strings"
)

type syntaxError struct {
	line, col int
	msg       string
}

type parser struct {
	src      string
	pos      int
	lang     string
	base     int // lines before the text
	heredocs []*Redir
	comments []Comment
}

func parseProgram(src, lang string) (list *List, err *syntaxError) {
	p := &parser{src: src, lang: lang}
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(*syntaxError)
			if !ok {
				panic(r)
			}
			list, err = nil, e
		}
	}()
	list = p.list()
	if p.pos < len(p.src) {
		p.fail("unexpected %q", p.src[p.pos:p.pos+1])
	}
	return list, nil
}

func (p *parser) posix() bool { return p.lang == "posix" }

func (p *parser) lineAt(pos int) int { return p.base + 1 + strings.Count(p.src[:pos], "\n") }
func (p *parser) line() int          { return p.lineAt(min(p.pos, len(p.src))) }

func (p *parser) fail(format string, args ...any) {
	pos := min(p.pos, len(p.src))
	col := pos - strings.LastIndexByte(p.src[:pos], '\n')
	panic(&syntaxError{p.lineAt(pos), col, fmt.Sprintf(format, args...)})
}

func (p *parser) has(s string) bool { return strings.HasPrefix(p.src[min(p.pos, len(p.src)):], s) }

func (p *parser) peek() byte {
	if p.pos < len(p.src) {
		return p.src[p.pos]
	}
	return 0
}

// blanks skips blanks and escaped line feeds.
func (p *parser) blanks() {
	for p.pos < len(p.src) {
		switch {
		case p.src[p.pos] == ' ' || p.src[p.pos] == '\t' || p.src[p.pos] == '\r':
			p.pos++
		case p.has("\\\n"):
			p.pos += 2
		default:
			return
		}
	}
}

func (p *parser) comment() (Comment, bool) {
	if p.peek() != '#' {
		return Comment{}, false
	}
	end := strings.IndexByte(p.src[p.pos:], '\n')
	if end < 0 {
		end = len(p.src) - p.pos
	}
	c := Comment{p.line(), strings.TrimRight(p.src[p.pos:p.pos+end], " \t\r")}
	p.pos += end
	return c, true
}

func (p *parser) newline() {
	p.pos++
	for _, r := range p.heredocs {
		delim := unquote(p.src, r.word)
		start := p.pos
		for {
			if p.pos >= len(p.src) {
				p.fail("unclosed here-document %q", delim)
			}
			end := strings.IndexByte(p.src[p.pos:], '\n')
			line := p.src[p.pos:]
			if end >= 0 {
				line = line[:end]
			}
			p.pos = min(p.pos+len(line)+1, len(p.src))
			check := line
			if r.op == "<<-" {
				check = strings.TrimLeft(line, "\t")
			}
			if check == delim {
				r.body = strings.TrimSuffix(p.src[start:p.pos], "\n")
				break
			}
		}
	}
	p.heredocs = nil
}

func unquote(_ string, w *Word) string {
	pr := &printer{}
	pr.word(w)
	return strings.NewReplacer("'", "", `"`, "", `\`, "").Replace(pr.out.String())
}

// newlines skips line ends and collects comments.
func (p *parser) newlines() {
	for {
		p.blanks()
		if c, ok := p.comment(); ok {
			p.comments = append(p.comments, c)
		} else if p.peek() == '\n' {
			p.newline()
		} else {
			return
		}
	}
}

func (p *parser) takeComments() []Comment {
	c := p.comments
	p.comments = nil
	return c
}

var closers = []string{"then", "elif", "else", "fi", "do", "done", "esac", "}"}

func isDelim(c byte) bool { return c == 0 || strings.IndexByte(" \t\r\n;&|()<>", c) >= 0 }

// keyword tells whether the word s stands here.
func (p *parser) keyword(s string) bool {
	if !p.has(s) {
		return false
	}
	after := p.pos + len(s)
	return after >= len(p.src) || isDelim(p.src[after]) || strings.HasPrefix(p.src[after:], "\\\n")
}

func (p *parser) expect(s string) {
	p.newlines()
	if !p.keyword(s) {
		p.fail("expected %q", s)
	}
	p.pos += len(s)
}

func (p *parser) atEnd() bool {
	if p.pos >= len(p.src) || p.peek() == ')' || p.has(";;") || p.has(";&") {
		return true
	}
	for _, c := range closers {
		if p.keyword(c) {
			return true
		}
	}
	return false
}

func (p *parser) list() *List {
	l := &List{}
	for {
		p.newlines()
		if p.atEnd() {
			break
		}
		comments := p.takeComments()
		s := p.andOr()
		s.comments = append(comments, s.comments...)
		p.blanks()
		sep := false
		if p.peek() == ';' && !p.has(";;") && !p.has(";&") {
			p.pos++
			sep = true
		} else if p.peek() == '&' && !p.has("&&") {
			p.pos++
			s.bg = true
			sep = true
		}
		p.blanks()
		if c, ok := p.comment(); ok {
			s.trail = c.text
		}
		l.stmts = append(l.stmts, s)
		if !sep && p.peek() != '\n' && !p.atEnd() {
			p.fail("statements must be separated by &, ; or a newline")
		}
	}
	l.last = p.takeComments()
	return l
}

// body reads a list that must not be empty.
func (p *parser) body(what string) *List {
	l := p.list()
	if len(l.stmts) == 0 {
		p.fail("%s must be followed by a statement list", what)
	}
	return l
}

func (p *parser) binary(next func() *Stmt, ops ...string) *Stmt {
	x := next()
	for {
		p.blanks()
		op := ""
		for _, o := range ops {
			if p.has(o) && !(o == "|" && p.has("||")) {
				op = o
				break
			}
		}
		if op == "" {
			return x
		}
		p.pos += len(op)
		p.newlines()
		if p.atEnd() {
			p.fail("%s must be followed by a statement", op)
		}
		comments := p.takeComments()
		y := next()
		y.comments = append(comments, y.comments...)
		x = &Stmt{line: x.line, end: y.end, cmd: &Binary{op, x, y}}
	}
}

func (p *parser) andOr() *Stmt    { return p.binary(p.pipeline, "&&", "||") }
func (p *parser) pipeline() *Stmt { return p.binary(p.command, "|&", "|") }

func (p *parser) redirect() *Redir {
	start := p.pos
	n := p.pos
	for n < len(p.src) && p.src[n] >= '0' && p.src[n] <= '9' {
		n++
	}
	if n == p.pos && p.peek() == '{' {
		if end := strings.IndexByte(p.src[p.pos:], '}'); end > 0 && isName(p.src[p.pos+1:p.pos+end]) {
			n = p.pos + end + 1
		}
	}
	ops := []string{"<<<", "<<-", "<<", "<&", "<>", ">>", ">&", ">|", "<", ">"}
	if n == p.pos && !p.posix() {
		ops = append([]string{"&>>", "&>"}, ops...)
	}
	rest := p.src[n:]
	if strings.HasPrefix(rest, "<(") || strings.HasPrefix(rest, ">(") {
		return nil
	}
	for _, op := range ops {
		if strings.HasPrefix(rest, op) {
			if op == "<<<" && p.posix() {
				p.fail("here-strings are not POSIX")
			}
			p.pos = n + len(op)
			p.blanks()
			w := p.word()
			if w == nil {
				p.fail("%s must be followed by a word", op)
			}
			r := &Redir{n: p.src[start:n], op: op, word: w}
			if op == "<<" || op == "<<-" {
				p.heredocs = append(p.heredocs, r)
			}
			return r
		}
	}
	return nil
}

func isName(s string) bool {
	for i, c := range s {
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

func (p *parser) command() *Stmt {
	s := &Stmt{line: p.line()}
	for p.keyword("!") {
		p.pos++
		s.neg = !s.neg
		p.blanks()
	}
	for {
		r := p.redirect()
		if r == nil {
			break
		}
		s.redirs = append(s.redirs, r)
		p.blanks()
	}
	if len(s.redirs) == 0 {
		s.cmd = p.compound(s)
	}
	if s.cmd == nil {
		call := &Call{}
		for {
			p.blanks()
			if r := p.redirect(); r != nil {
				s.redirs = append(s.redirs, r)
				continue
			}
			w := p.word()
			if w == nil {
				break
			}
			call.words = append(call.words, w)
			p.blanks()
			if len(call.words) == 1 && p.peek() == '(' {
				pr := &printer{}
				pr.word(w)
				name := pr.out.String()
				p.pos++
				p.blanks()
				if p.peek() != ')' {
					p.fail("a command can only contain words and redirects")
				}
				p.pos++
				s.cmd = p.function(name)
				s.end = p.line()
				return s
			}
		}
		if len(call.words) > 0 {
			s.cmd = call
		} else if len(s.redirs) == 0 {
			p.fail("expected a command")
		}
	} else {
		for {
			p.blanks()
			r := p.redirect()
			if r == nil {
				break
			}
			s.redirs = append(s.redirs, r)
		}
	}
	s.end = p.line()
	return s
}

func (p *parser) function(name string) *Func {
	p.newlines()
	if p.atEnd() {
		p.fail("%s() must be followed by a statement", name)
	}
	return &Func{name, p.command()}
}

func (p *parser) compound(s *Stmt) any {
	line := p.line()
	switch {
	case p.has("((") && !p.posix():
		if text, ok := p.arith("((", "))"); ok {
			return &ArithCmd{text}
		}
		fallthrough
	case p.peek() == '(':
		p.pos++
		l := p.body("(")
		if p.peek() != ')' {
			p.fail("reached end without matching ( with )")
		}
		p.pos++
		return &Group{"(", ")", l, line, p.line()}
	case p.keyword("{"):
		p.pos++
		l := p.body("{")
		p.expect("}")
		return &Group{"{", "}", l, line, p.line()}
	case p.keyword("if"):
		p.pos += 2
		c := &If{}
		for {
			cond := p.body("if")
			p.expect("then")
			then := p.line()
			c.clauses = append(c.clauses, &Clause{cond, p.body("then"), then})
			if !p.keyword("elif") {
				break
			}
			p.pos += 4
		}
		if p.keyword("else") {
			p.pos += 4
			c.elsLine = p.line()
			c.els = p.body("else")
		}
		p.expect("fi")
		c.end = p.line()
		return c
	case p.keyword("while"), p.keyword("until"):
		l := &Loop{head: p.src[p.pos : p.pos+5]}
		p.pos += 5
		l.cond = p.body(l.head)
		p.doBody(l)
		return l
	case p.keyword("for"), p.keyword("select") && !p.posix(), p.has("for((") && !p.posix():
		l := &Loop{kind: "for"}
		if p.has("select") {
			l.kind = "select"
		}
		p.pos += len(l.kind)
		p.blanks()
		if p.has("((") && !p.posix() {
			text, ok := p.arith("((", "))")
			if !ok {
				p.fail("bad arithmetic loop")
			}
			l.arith = text
		} else {
			w := p.word()
			if w == nil {
				p.fail("%s must be followed by a name", l.kind)
			}
			l.vars = append(l.vars, w)
			p.newlines()
			if p.keyword("in") {
				for w = p.word(); w != nil; w = p.word() {
					l.vars = append(l.vars, w)
					p.blanks()
				}
			}
		}
		p.blanks()
		if p.peek() == ';' {
			p.pos++
		}
		p.newlines()
		if l.arith != "" && p.keyword("{") {
			p.pos++
			l.line = p.line()
			l.body = p.body("{")
			p.expect("}")
			l.end = p.line()
			return l
		}
		p.doBody(l)
		return l
	case p.keyword("case"):
		return p.caseCmd(line)
	case p.keyword("function") && !p.posix():
		p.pos += 8
		p.blanks()
		w := p.word()
		if w == nil {
			p.fail("function must be followed by a name")
		}
		pr := &printer{}
		pr.word(w)
		p.blanks()
		if p.peek() == '(' {
			p.pos++
			p.blanks()
			if p.peek() != ')' {
				p.fail("expected )")
			}
			p.pos++
		}
		return p.function(pr.out.String())
	case p.keyword("[[") && !p.posix():
		p.pos += 2
		return p.test()
	case (p.keyword("time") || p.keyword("coproc")) && !p.posix():
		name := "time"
		if p.has("coproc") {
			name = "coproc"
		}
		p.pos += len(name)
		p.blanks()
		if p.peek() == '\n' || p.peek() == ';' || p.peek() == 0 {
			return &Call{[]*Word{{line: line, end: line, parts: []any{name}}}}
		}
		return &Prefix{name, p.pipeline()}
	}
	for _, c := range closers {
		if p.keyword(c) {
			p.fail("%q can only be used to end something", c)
		}
	}
	return nil
}

func (p *parser) doBody(l *Loop) {
	p.expect("do")
	l.line = p.line()
	l.body = p.body("do")
	p.expect("done")
	l.end = p.line()
}

func (p *parser) caseCmd(line int) any {
	p.pos += 4
	p.blanks()
	c := &Case{word: p.word(), line: line}
	if c.word == nil {
		p.fail("case must be followed by a word")
	}
	p.expect("in")
	for {
		p.newlines()
		if p.keyword("esac") {
			break
		}
		item := &Item{comments: p.takeComments(), line: p.line()}
		if p.peek() == '(' {
			p.pos++
		}
		for {
			p.blanks()
			w := p.word()
			if w == nil {
				p.fail("case patterns must consist of words")
			}
			item.patterns = append(item.patterns, w)
			p.blanks()
			if p.peek() == '|' {
				p.pos++
				continue
			}
			break
		}
		if p.peek() != ')' {
			p.fail("case patterns must be separated with |")
		}
		p.pos++
		item.body = p.list()
		item.end = p.line()
		item.op = ";;"
		c.items = append(c.items, item)
		if p.peek() != ';' {
			if !p.keyword("esac") {
				p.fail("case statement must end with esac")
			}
			c.last = item.body.last
			item.body.last = nil
			break
		}
		for _, op := range []string{";;&", ";;", ";&"} {
			if p.has(op) {
				item.op = op
				p.pos += len(op)
				break
			}
		}
		p.blanks()
		if cm, ok := p.comment(); ok {
			item.trail = cm.text
		}
	}
	c.last = append(c.last, p.takeComments()...)
	p.expect("esac")
	c.end = p.line()
	return c
}

func (p *parser) test() any {
	t := &Test{}
	raw := func(s string) {
		t.tokens = append(t.tokens, &Word{line: p.line(), end: p.line(), parts: []any{s}})
		p.pos += len(s)
	}
	for {
		p.newlines()
		switch {
		case p.pos >= len(p.src):
			p.fail("reached end without matching [[ with ]]")
		case p.keyword("]]"):
			p.pos += 2
			if len(t.tokens) == 0 {
				p.fail("[[ must be followed by an expression")
			}
			return t
		case p.has("&&"), p.has("||"):
			raw(p.src[p.pos : p.pos+2])
		case p.peek() == '(', p.peek() == ')', p.peek() == '<', p.peek() == '>':
			raw(p.src[p.pos : p.pos+1])
		case p.keyword("=~"):
			raw("=~")
			p.blanks()
			start, depth := p.pos, 0
			for p.pos < len(p.src) {
				c := p.peek()
				if c == '(' {
					depth++
				} else if c == ')' {
					depth--
				} else if c == '\\' {
					p.pos++
				} else if c == '\'' || c == '"' || c == '$' {
					p.part(&Word{})
					continue
				} else if c == '\n' || depth <= 0 && (c == ' ' || c == '\t') {
					break
				}
				p.pos++
			}
			text := p.src[start:min(p.pos, len(p.src))]
			t.tokens = append(t.tokens, &Word{parts: []any{text}})
		default:
			w := p.word()
			if w == nil {
				p.fail("not a valid test operator: %q", p.src[p.pos:p.pos+1])
			}
			t.tokens = append(t.tokens, w)
		}
	}
}
