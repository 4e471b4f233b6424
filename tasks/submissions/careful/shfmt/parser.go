package main

import (
	"fmt"
	"strings"
)

type syntaxError struct {
	line, col int
	msg       string
}

func (e *syntaxError) Error() string { return fmt.Sprintf("%d:%d: %s", e.line, e.col, e.msg) }

type parser struct {
	src      string
	pos      int
	line     int
	posix    bool
	simple   bool // simplify
	pending  []*redirect
	comments []comment // not yet given to a statement
	lastLine int       // line of the last token
}

func parseProgram(src string, posix, simplify bool) (l list, err error) {
	p := &parser{src: src, line: 1, posix: posix, simple: simplify}
	defer func() {
		if r := recover(); r != nil {
			se, ok := r.(*syntaxError)
			if !ok {
				panic(r)
			}
			err = se
		}
	}()
	l = p.list()
	if p.pos < len(p.src) {
		p.fail("unexpected %s", p.token())
	}
	if len(p.pending) > 0 {
		p.fail("unclosed here-document '%s'", p.pending[0].delim)
	}
	return l, nil
}

func (p *parser) fail(format string, args ...any) {
	col := p.pos - strings.LastIndexByte(p.src[:min(p.pos, len(p.src))], '\n')
	panic(&syntaxError{p.line, col, fmt.Sprintf(format, args...)})
}

func (p *parser) token() string {
	end := p.pos + 1
	for end < len(p.src) && !strings.ContainsRune(" \t\n;()", rune(p.src[end])) {
		end++
	}
	return p.src[p.pos:min(end, len(p.src))]
}

func (p *parser) at(s string) bool { return strings.HasPrefix(p.src[p.pos:], s) }

func (p *parser) peek() byte {
	if p.pos < len(p.src) {
		return p.src[p.pos]
	}
	return 0
}

// blanks skips blanks and escaped line ends; comments too where they may be.
func (p *parser) blanks() {
	for p.pos < len(p.src) {
		switch {
		case p.peek() == ' ' || p.peek() == '\t' || p.peek() == '\r':
			p.pos++
		case p.at("\\\n"):
			p.pos += 2
			p.line++
		default:
			return
		}
	}
}

func (p *parser) comment() {
	if p.peek() != '#' {
		return
	}
	end := strings.IndexByte(p.src[p.pos:], '\n')
	if end < 0 {
		end = len(p.src) - p.pos
	}
	text := strings.TrimRight(p.src[p.pos:p.pos+end], " \t\r")
	p.comments = append(p.comments, comment{text, p.line})
	p.pos += end
}

// newline skips the end of a line and reads the here documents behind it.
func (p *parser) newline() {
	p.pos++
	p.line++
	pending := p.pending
	p.pending = nil
	for _, r := range pending {
		var b strings.Builder
		closed := false
		for p.pos < len(p.src) {
			end := strings.IndexByte(p.src[p.pos:], '\n')
			text := p.src[p.pos:]
			if end >= 0 {
				text = p.src[p.pos : p.pos+end]
				p.pos += end + 1
				p.line++
			} else {
				p.pos = len(p.src)
			}
			check := text
			if r.op == "<<-" {
				check = strings.TrimLeft(text, "\t")
			}
			b.WriteString(text + "\n")
			if check == r.delim {
				closed = true
				break
			}
		}
		if !closed {
			p.fail("unclosed here-document '%s'", r.delim)
		}
		r.body = b.String()
	}
}

// space skips everything between statements.
func (p *parser) space() {
	for {
		p.blanks()
		switch p.peek() {
		case '#':
			p.comment()
		case '\n':
			p.newline()
		default:
			return
		}
	}
}

func isMeta(c byte) bool { return strings.IndexByte(" \t\n\r;&|<>()", c) >= 0 }

// keyword tells whether the given reserved word stands here.
func (p *parser) keyword(w string) bool {
	if !p.at(w) {
		return false
	}
	end := p.pos + len(w)
	return end == len(p.src) || isMeta(p.src[end])
}

func (p *parser) stops() bool {
	if p.pos >= len(p.src) || p.peek() == ')' || p.at(";;") || p.at(";&") {
		return true
	}
	for _, w := range []string{"then", "do", "done", "fi", "else", "elif", "esac", "}"} {
		if p.keyword(w) {
			return true
		}
	}
	return false
}

func (p *parser) expect(w, after string) {
	p.space()
	ok := p.at(w)
	if w != ")" && w != "((" && w != "))" {
		ok = p.keyword(w)
	}
	if !ok {
		p.fail("%s must be followed by or closed with %q", after, w)
	}
	p.lastLine = p.line
	p.pos += len(w)
}

// list parses statements up to a word that ends them.
func (p *parser) list() list {
	var l list
	for {
		p.space()
		if p.stops() {
			l.last = p.comments
			p.comments = nil
			return l
		}
		leading := p.comments
		p.comments = nil
		s := p.andOr()
		s.leading = append(leading, s.leading...)
		p.blanks()
		switch {
		case p.at(";;") || p.at(";&"):
		case p.peek() == ';':
			p.pos++
		case p.peek() == '&' && !p.at("&&"):
			p.pos++
			s.background = true
		case p.peek() != '\n' && p.peek() != '#' && !p.stops():
			p.fail("unexpected %s", p.token())
		}
		s.end = p.lastLine
		p.blanks()
		if p.peek() == '#' {
			p.comment()
			n := len(p.comments) - 1
			c := p.comments[n]
			p.comments = p.comments[:n]
			s.trailing = &c
		}
		l.stmts = append(l.stmts, s)
	}
}

func (p *parser) binary(ops []string, operand func() *stmt) *stmt {
	left := operand()
	for {
		p.blanks()
		op := ""
		for _, o := range ops {
			if p.at(o) {
				op = o
				break
			}
		}
		if op == "" || op == "|" && p.at("||") {
			return left
		}
		p.pos += len(op)
		line := p.lastLine
		saved := p.comments
		p.comments = nil
		p.space()
		between := p.comments
		p.comments = saved
		if p.stops() {
			p.fail("%s must be followed by a statement", op)
		}
		start := p.line
		right := operand()
		b := &binaryCmd{op: op, left: left, right: right, broken: start > line, between: between}
		left = &stmt{line: left.line, end: p.lastLine, cmd: b}
	}
}

func (p *parser) andOr() *stmt {
	return p.binary([]string{"&&", "||"}, p.pipeline)
}

func (p *parser) pipeline() *stmt {
	line := p.line
	if p.keyword("!") {
		p.pos++
		p.blanks()
		s := p.pipeline()
		return &stmt{line: line, end: s.end, negated: true, cmd: &prefixCmd{"", s}}
	}
	if !p.posix && p.keyword("time") {
		p.pos += 4
		p.blanks()
		words := "time"
		if p.keyword("-p") {
			p.pos += 2
			words += " -p"
			p.blanks()
		}
		if p.peek() == '\n' || p.peek() == ';' || p.stops() {
			p.lastLine = p.line
			return &stmt{line: line, end: line, cmd: &prefixCmd{words, nil}}
		}
		s := p.pipeline()
		return &stmt{line: line, end: s.end, cmd: &prefixCmd{words, s}}
	}
	return p.binary([]string{"|&", "|"}, p.command)
}

func isName(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if !(c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || i > 0 && c >= '0' && c <= '9') {
			return false
		}
	}
	return s != ""
}

func (p *parser) command() *stmt {
	s := &stmt{line: p.line}
	switch {
	case !p.posix && p.at("(("):
		if text, ok := p.tryArith("((", "))"); ok {
			s.cmd = &arithCmd{"((" + text + "))"}
			break
		}
		fallthrough
	case p.peek() == '(':
		s.cmd = p.block("(", ")")
	case p.keyword("{"):
		s.cmd = p.block("{", "}")
	case p.keyword("if"):
		s.cmd = p.ifCommand()
	case p.keyword("while"), p.keyword("until"):
		l := &loopCmd{keyword: p.src[p.pos : p.pos+5], at: p.line}
		p.pos += 5
		l.cond = p.nonEmpty(l.keyword)
		p.loopBody(l)
		s.cmd = l
	case p.keyword("for"), p.keyword("select") && !p.posix:
		s.cmd = p.forCommand()
	case p.keyword("case"):
		s.cmd = p.caseCommand()
	case !p.posix && p.keyword("[["):
		s.cmd = p.test()
	case !p.posix && p.keyword("function"):
		p.pos += 8
		p.blanks()
		w := p.mustWord("function")
		f := &funcCmd{name: w.plain(), keyword: true}
		p.blanks()
		if p.peek() == '(' {
			p.pos++
			p.blanks()
			if p.peek() != ')' {
				p.fail("function parameters must be empty")
			}
			p.pos++
			f.parens = true
		}
		p.space()
		f.body = p.command()
		s.cmd = f
		s.end = p.lastLine
		return s
	default:
		return p.simpleCommand(s)
	}
	p.lastLine = max(p.lastLine, s.line)
	for {
		p.blanks()
		r := p.redirect()
		if r == nil {
			break
		}
		s.redirs = append(s.redirs, r)
	}
	s.end = p.lastLine
	return s
}

func (p *parser) nonEmpty(after string) list {
	l := p.list()
	if len(l.stmts) == 0 {
		p.fail("%s must be followed by a statement list", after)
	}
	return l
}

func (p *parser) block(open, shut string) *blockCmd {
	b := &blockCmd{paren: open == "(", open: p.line}
	p.pos++
	b.body = p.nonEmpty(open)
	p.expect(shut, open)
	b.shut = p.line
	return b
}

func (p *parser) ifCommand() *ifCmd {
	c := &ifCmd{}
	p.pos += 2
	line := p.line
	for {
		cl := ifClause{line: line}
		cl.cond = p.nonEmpty("if")
		p.expect("then", "if")
		cl.then_ = p.line
		cl.then = p.nonEmpty("then")
		c.clauses = append(c.clauses, cl)
		if !p.keyword("elif") {
			break
		}
		line = p.line
		p.pos += 4
	}
	if p.keyword("else") {
		c.elseAt = p.line
		p.pos += 4
		l := p.nonEmpty("else")
		c.other = &l
	}
	p.expect("fi", "if")
	c.shut = p.line
	return c
}

func (p *parser) loopBody(l *loopCmd) {
	p.space()
	if l.keyword != "while" && l.keyword != "until" && p.keyword("{") {
		p.pos++
		l.open = p.line
		l.body = p.nonEmpty("{")
		p.expect("}", l.keyword)
	} else {
		p.expect("do", l.keyword)
		l.open = p.line
		l.body = p.nonEmpty("do")
		p.expect("done", l.keyword)
	}
	l.shut = p.line
}

func (p *parser) forCommand() *loopCmd {
	l := &loopCmd{keyword: "for", at: p.line}
	if p.keyword("select") {
		l.keyword = "select"
	}
	p.pos += len(l.keyword)
	p.blanks()
	if !p.posix && p.at("((") {
		text, ok := p.tryArith("((", "))")
		if !ok {
			p.fail("unclosed ((")
		}
		l.head = "((" + text + "))"
	} else {
		w := p.mustWord(l.keyword)
		l.name = w.plain()
		if !isName(l.name) {
			p.fail("%s must be followed by a name", l.keyword)
		}
		at := *p
		p.space()
		if p.keyword("in") {
			p.pos += 2
			l.in = true
			for {
				p.blanks()
				if p.pos >= len(p.src) || p.peek() == '\n' || p.peek() == ';' || p.peek() == '#' {
					break
				}
				line := p.line
				w := p.mustWord("in")
				l.items = append(l.items, element{word: w, line: line})
			}
		} else {
			*p = at
		}
	}
	p.blanks()
	if p.peek() == ';' {
		p.pos++
	}
	p.loopBody(l)
	return l
}

func (p *parser) caseCommand() *caseCmd {
	c := &caseCmd{}
	p.pos += 4
	p.blanks()
	c.word = p.mustWord("case")
	p.expect("in", "case")
	for {
		p.space()
		if p.keyword("esac") || p.pos >= len(p.src) {
			break
		}
		it := &caseItem{leading: p.comments, line: p.line}
		p.comments = nil
		if p.peek() == '(' {
			p.pos++
		}
		for {
			p.blanks()
			it.patterns = append(it.patterns, p.mustWord("case"))
			p.blanks()
			if p.peek() != '|' {
				break
			}
			p.pos++
		}
		if p.peek() != ')' {
			p.fail("case patterns must be separated with |")
		}
		p.pos++
		it.line = p.line
		it.body = p.list()
		it.opLine = p.line
		c.items = append(c.items, it)
		for _, op := range []string{";;&", ";;", ";&"} {
			if p.at(op) {
				it.op = op
				p.pos += len(op)
				break
			}
		}
		if it.op == "" {
			break
		}
	}
	c.last = p.comments
	p.comments = nil
	p.expect("esac", "case")
	c.shut = p.line
	return c
}

// test parses [[ ... ]].
func (p *parser) test() *testCmd {
	t := &testCmd{}
	p.pos += 2
	regex := false
	for {
		p.blanks()
		for p.peek() == '\n' {
			p.newline()
			p.blanks()
		}
		if p.pos >= len(p.src) {
			p.fail("[[ must be closed with ]]")
		}
		if p.keyword("]]") {
			p.pos += 2
			break
		}
		found := ""
		for _, op := range []string{"&&", "||", "(", ")", "<", ">"} {
			if p.at(op) && !(regex && (op == "(" || op == ")")) {
				found = op
				break
			}
		}
		if found != "" {
			p.pos += len(found)
			t.text = append(t.text, found)
			continue
		}
		start := p.pos
		w := p.wordIn(regex)
		if w == nil || p.pos == start {
			p.fail("unexpected %s in [[", p.token())
		}
		text := (&printer{}).wordText(w)
		regex = text == "=~"
		t.text = append(t.text, text)
	}
	if len(t.text) == 0 {
		p.fail("[[ must have an expression")
	}
	if p.simple {
		for i, text := range t.text {
			left := i == 0 || t.text[i-1] == "&&" || t.text[i-1] == "||" || t.text[i-1] == "(" || strings.HasPrefix(t.text[i-1], "-") || t.text[i-1] == "!"
			if n := len(text); left && n > 3 && text[0] == '"' && text[n-1] == '"' && text[1] == '$' && (isName(text[2:n-1]) || text[2] == '{' && strings.IndexByte(text, '}') == n-2) {
				t.text[i] = text[1 : n-1]
			}
			if text == "=" {
				continue
			}
		}
	}
	p.lastLine = p.line
	return t
}

func (p *parser) simpleCommand(s *stmt) *stmt {
	c := &callCmd{}
	words := 0
	for {
		before := p.pos
		p.blanks()
		if p.pos >= len(p.src) || p.peek() == '#' {
			break
		}
		line, gap := p.line, p.pos-before
		if r := p.redirect(); r != nil {
			c.elements = append(c.elements, element{redir: r, line: line, gap: gap})
			continue
		}
		w := p.word()
		if w == nil {
			break
		}
		c.elements = append(c.elements, element{word: w, line: line, gap: gap})
		words++
		if words == 1 && len(c.elements) == 1 {
			after, line := p.pos, p.line
			p.blanks()
			if p.peek() != '(' {
				p.pos, p.line = after, line
			} else {
				p.pos++
				p.blanks()
				if p.peek() != ')' {
					p.fail("a function call or declaration is not valid here")
				}
				p.pos++
				f := &funcCmd{name: w.plain(), parens: true}
				p.space()
				f.body = p.command()
				s.cmd = f
				s.end = p.lastLine
				return s
			}
		}
	}
	if len(c.elements) == 0 {
		p.fail("unexpected %s", p.token())
	}
	s.cmd = c
	s.end = p.lastLine
	return s
}

var redirectOps = []string{"<<<", "<<-", "&>>", "<<", ">>", "<&", ">&", "<>", ">|", "&>", "<", ">"}

// redirect parses a redirection, if one stands here.
func (p *parser) redirect() *redirect {
	i := p.pos
	for i < len(p.src) && p.src[i] >= '0' && p.src[i] <= '9' {
		i++
	}
	if i == p.pos && !p.posix && p.peek() == '{' {
		if end := strings.IndexByte(p.src[i:], '}'); end > 1 && isName(p.src[i+1:i+end]) {
			i += end + 1
		}
	}
	rest := p.src[i:]
	if !p.posix && (strings.HasPrefix(rest, "<(") || strings.HasPrefix(rest, ">(")) {
		return nil
	}
	for _, op := range redirectOps {
		if !strings.HasPrefix(rest, op) || p.posix && (op == "&>" || op == "&>>" || op == "<<<") {
			continue
		}
		r := &redirect{fd: p.src[p.pos:i], op: op, line: p.line}
		p.pos = i + len(op)
		p.blanks()
		r.word = p.mustWord(op)
		if op == "<<" || op == "<<-" {
			r.delim = unquote((&printer{}).wordText(r.word))
			p.pending = append(p.pending, r)
		}
		return r
	}
	return nil
}

func unquote(s string) string {
	return strings.NewReplacer("'", "", `"`, "", `\`, "").Replace(s)
}

func (p *parser) mustWord(after string) *word {
	w := p.word()
	if w == nil {
		p.fail("%s must be followed by a word", after)
	}
	return w
}

func (p *parser) word() *word { return p.wordIn(false) }
