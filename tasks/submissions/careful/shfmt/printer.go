package main

import (
	"strings"
	"unicode/utf8"
)

type options struct {
	indent     uint
	nextLine   bool // -bn
	caseIndent bool // -ci
	spaceRedir bool // -sr
	funcNext   bool // -fn
	minify     bool // -mn
	padding    bool // -kp
}

type printer struct {
	options
	b       strings.Builder
	level   int
	fresh   bool // at the begin of a line, before the indentation
	heredoc []*redirect
	line    int // the last line of the source that is printed
}

// commentMark stands in front of comments behind a statement until they are
// aligned.
const commentMark = "\x01"

func format(l list, o options) string {
	p := &printer{options: o, fresh: true}
	p.list(l)
	if p.b.Len() == 0 {
		return ""
	}
	p.newline()
	return alignComments(p.b.String())
}

func alignComments(s string) string {
	if !strings.Contains(s, commentMark) {
		return s
	}
	lines := strings.Split(s, "\n")
	for i := 0; i < len(lines); {
		j := i
		width := 0
		for j < len(lines) && strings.Contains(lines[j], commentMark) {
			code, _, _ := strings.Cut(lines[j], commentMark)
			width = max(width, utf8.RuneCountInString(code))
			j++
		}
		for ; i < j; i++ {
			code, text, _ := strings.Cut(lines[i], commentMark)
			lines[i] = code + strings.Repeat(" ", width-utf8.RuneCountInString(code)+1) + text
		}
		i++
	}
	return strings.Join(lines, "\n")
}

func (p *printer) write(s string) {
	if s == "" {
		return
	}
	if p.fresh && !p.minify {
		if p.indent == 0 {
			p.b.WriteString(strings.Repeat("\t", p.level))
		} else {
			p.b.WriteString(strings.Repeat(" ", p.level*int(p.indent)))
		}
	}
	p.fresh = false
	p.b.WriteString(s)
}

// space writes a blank that a minified program does without.
func (p *printer) space() {
	if !p.minify {
		p.write(" ")
	}
}

func (p *printer) newline() {
	p.b.WriteString("\n")
	p.fresh = true
	docs := p.heredoc
	p.heredoc = nil
	for _, r := range docs {
		p.b.WriteString(r.body)
		p.line = max(p.line, r.line+strings.Count(r.body, "\n"))
	}
}

// list prints statements, each on lines of its own, without the last end of
// line.
func (p *printer) list(l list) {
	first := true
	begin := func(line int) {
		if !first {
			p.newline()
			if line > p.line+1 && !p.minify {
				p.b.WriteString("\n")
			}
		}
		first = false
		p.line = max(p.line, line)
	}
	comments := func(list []comment) {
		for _, c := range list {
			if p.minify && !(c.line == 1 && strings.HasPrefix(c.text, "#!")) {
				continue
			}
			begin(c.line)
			p.write(c.text)
		}
	}
	for _, s := range l.stmts {
		comments(s.leading)
		begin(s.line)
		p.stmt(s)
		p.line = max(p.line, s.end)
		if s.trailing != nil && !p.minify {
			p.write(commentMark + s.trailing.text)
		}
	}
	comments(l.last)
}

// inline tells whether a list stands on one line with what is around it.
func inline(l list, open, shut int) bool {
	if len(l.last) > 0 || len(l.stmts) != 1 {
		return false
	}
	s := l.stmts[0]
	return len(s.leading) == 0 && s.trailing == nil && s.line == open && s.end == shut
}

// body prints the lines of a block.
func (p *printer) body(l list) {
	p.newline()
	p.level++
	if len(l.stmts) > 0 {
		p.line = l.stmts[0].line
	}
	p.list(l)
	p.level--
	p.newline()
}

// cond prints the statements in front of then or do.
func (p *printer) cond(l list, line int) {
	if len(l.stmts) == 1 && len(l.last) == 0 && len(l.stmts[0].leading) == 0 && l.stmts[0].trailing == nil && l.stmts[0].line == line {
		p.write(" ")
		p.stmt(l.stmts[0])
		p.semicolon(l.stmts[0])
		p.space()
		return
	}
	p.body(l)
}

func (p *printer) semicolon(s *stmt) {
	if !s.background {
		p.write(";")
	}
}

func (p *printer) stmt(s *stmt) {
	if s.negated {
		p.write("! ")
	}
	p.command(s.cmd)
	for _, r := range s.redirs {
		p.space()
		p.redirect(r)
	}
	if s.background {
		p.space()
		p.write("&")
	}
}

func (p *printer) redirect(r *redirect) {
	p.write(r.fd + r.op)
	if p.spaceRedir && r.op != ">&" && r.op != "<&" {
		p.write(" ")
	}
	p.word(r.word)
	if r.op == "<<" || r.op == "<<-" {
		p.heredoc = append(p.heredoc, r)
	}
}

func (p *printer) command(c command) {
	switch c := c.(type) {
	case *callCmd:
		p.elements(c.elements, 0)
	case *blockCmd:
		p.block(c)
	case *ifCmd:
		p.ifCommand(c)
	case *loopCmd:
		p.loop(c)
	case *caseCmd:
		p.caseCommand(c)
	case *funcCmd:
		if c.keyword {
			p.write("function ")
		}
		p.write(c.name)
		if c.parens || !c.keyword {
			p.write("()")
		}
		switch {
		case p.funcNext:
			p.newline()
		case c.keyword && !c.parens:
			p.write(" ")
		default:
			p.space()
		}
		p.stmt(c.body)
	case *binaryCmd:
		p.binary(c)
	case *testCmd:
		p.write("[[ ")
		for i, text := range c.text {
			if i > 0 && c.text[i-1] != "(" && text != ")" {
				p.write(" ")
			}
			p.write(text)
		}
		p.write(" ]]")
	case *arithCmd:
		p.write(c.text)
	case *prefixCmd:
		p.write(c.words)
		if c.body != nil {
			if c.words != "" {
				p.write(" ")
			}
			p.stmt(c.body)
		}
	}
}

func (p *printer) elements(list []element, end int) {
	extra := false // continued on lines that are indented
	for _, e := range list {
		if end > 0 {
			if end > 0 && e.line > end && !p.minify {
				p.write(" \\")
				p.b.WriteString("\n")
				p.fresh = true
				if !extra {
					extra = true
					p.level++
				}
			} else if p.padding && e.line == end {
				p.write(strings.Repeat(" ", max(1, e.gap)))
			} else {
				p.write(" ")
			}
		}
		if e.redir != nil {
			p.redirect(e.redir)
			end = e.redir.word.end
		} else {
			p.word(e.word)
			end = e.word.end
		}
	}
	if extra {
		p.level--
	}
}

func (p *printer) block(c *blockCmd) {
	open, shut := "{", "}"
	if c.paren {
		open, shut = "(", ")"
	}
	p.write(open)
	switch {
	case inline(c.body, c.open, c.shut):
		if !c.paren || startsWithParen(c.body) {
			p.write(" ")
		}
		p.stmt(c.body.stmts[0])
		if !c.paren {
			p.semicolon(c.body.stmts[0])
			p.space()
		}
	case p.minify && c.paren:
		p.list(c.body)
	default:
		p.body(c.body)
	}
	p.write(shut)
}

func startsWithParen(l list) bool {
	s := l.stmts[0]
	switch c := s.cmd.(type) {
	case *blockCmd:
		return c.paren
	case *arithCmd:
		return true
	case *binaryCmd:
		return startsWithParen(list{stmts: []*stmt{c.left}})
	}
	return false
}

// rest prints a list behind a keyword: on the same line, or as a block.
func (p *printer) rest(l list, one bool) {
	if one {
		p.write(" ")
		p.stmt(l.stmts[0])
		p.semicolon(l.stmts[0])
		p.space()
		return
	}
	p.body(l)
}

func (p *printer) ifCommand(c *ifCmd) {
	one := true
	for i, cl := range c.clauses {
		next := c.shut
		if i+1 < len(c.clauses) {
			next = c.clauses[i+1].line
		} else if c.other != nil {
			next = c.elseAt
		}
		one = one && inline(cl.then, cl.then_, next)
	}
	if c.other != nil {
		one = one && inline(*c.other, c.elseAt, c.shut)
	}
	for i, cl := range c.clauses {
		if i == 0 {
			p.write("if")
		} else {
			p.write("elif")
		}
		p.cond(cl.cond, cl.line)
		p.write("then")
		p.rest(cl.then, one)
	}
	if c.other != nil {
		p.write("else")
		p.rest(*c.other, one)
	}
	p.write("fi")
}

func (p *printer) loop(c *loopCmd) {
	p.write(c.keyword)
	switch {
	case c.head != "":
		p.write(" " + c.head + ";")
		p.space()
	case c.name != "":
		p.write(" " + c.name)
		if c.in {
			p.write(" in")
			p.elements(c.items, c.at)
		}
		p.write(";")
		p.space()
	default:
		p.cond(c.cond, c.at)
	}
	p.write("do")
	p.rest(c.body, inline(c.body, c.open, c.shut))
	p.write("done")
}

func (p *printer) caseCommand(c *caseCmd) {
	p.write("case ")
	p.word(c.word)
	p.write(" in")
	p.newline()
	if p.caseIndent {
		p.level++
	}
	comments := func(list []comment, line int) {
		for i, cm := range list {
			if p.minify {
				return
			}
			if (i > 0 || line > 0) && cm.line > line+1 {
				p.b.WriteString("\n")
			}
			line = cm.line
			p.write(cm.text)
			p.newline()
		}
		p.line = max(p.line, line)
	}
	last := 0
	for _, it := range c.items {
		comments(it.leading, last)
		if last > 0 && it.line > max(last, p.line)+1 && !p.minify {
			p.b.WriteString("\n")
		}
		for i, w := range it.patterns {
			if i > 0 {
				p.space()
				p.write("|")
				p.space()
			}
			p.word(w)
		}
		p.write(")")
		op := it.op
		if op == "" {
			op = ";;"
		}
		switch {
		case len(it.body.stmts) == 0 && len(it.body.last) == 0:
			p.space()
			p.write(op)
		case inline(it.body, it.line, it.opLine) || it.op == "" && inline(it.body, it.line, it.body.stmts[0].end):
			p.space()
			p.stmt(it.body.stmts[0])
			p.space()
			p.write(op)
		default:
			p.body(it.body)
			p.level++
			p.write(op)
			p.level--
		}
		p.newline()
		last = it.opLine
		p.line = max(p.line, last)
	}
	comments(c.last, last)
	if p.caseIndent {
		p.level--
	}
	p.write("esac")
}

func (p *printer) binary(c *binaryCmd) {
	p.stmt(c.left)
	if !c.broken || p.minify {
		p.space()
		p.write(c.op)
		p.space()
		p.stmt(c.right)
		return
	}
	if p.nextLine {
		p.write(" \\")
	} else {
		p.space()
		p.write(c.op)
	}
	p.newline()
	p.level++
	for _, cm := range c.between {
		p.write(cm.text)
		p.newline()
	}
	if p.nextLine {
		p.write(c.op + " ")
	}
	p.line = max(p.line, c.right.line)
	p.stmt(c.right)
	p.level--
}

func (p *printer) word(w *word) {
	for _, pt := range w.parts {
		switch {
		case pt.isArr:
			p.array(pt)
		case pt.body != nil:
			p.write(pt.open)
			switch {
			case len(pt.body.stmts) == 0 && len(pt.body.last) == 0:
			case inline(*pt.body, pt.body.stmts0(), pt.body.end0()):
				paren := startsWithParen(*pt.body)
				if paren {
					p.write(" ")
				}
				p.stmt(pt.body.stmts[0])
				if paren {
					p.write(" ")
				}
				if len(p.heredoc) > 0 {
					p.newline()
				}
			default:
				p.body(*pt.body)
			}
			p.write(")")
		default:
			p.write(pt.text)
		}
	}
}

// stmts0 and end0 are the lines of the only statement.
func (l *list) stmts0() int {
	if len(l.stmts) == 1 {
		return l.stmts[0].line
	}
	return 0
}

func (l *list) end0() int {
	if len(l.stmts) == 1 {
		return l.stmts[0].end
	}
	return 0
}

func (p *printer) array(pt part) {
	p.write("(")
	line := pt.line
	deeper := false
	for i, it := range pt.array {
		switch {
		case it.line > line && !p.minify && !(it.comment != nil && it.line == line):
			if !deeper {
				deeper = true
				p.level++
			}
			p.newline()
		case i > 0 && it.comment == nil:
			p.write(" ")
		}
		if it.comment != nil {
			if p.minify {
				continue
			}
			if it.line == line {
				p.write(commentMark)
			}
			p.write(it.comment.text)
			line = it.line
			continue
		}
		p.word(it.word)
		line = it.word.end
	}
	if deeper {
		p.level--
		if pt.shut > line || pt.array[0].line > pt.line {
			p.newline()
		}
	}
	p.write(")")
}

// wordText returns a word as it is printed on its own.
func (p *printer) wordText(w *word) string {
	q := &printer{options: p.options}
	q.word(w)
	return q.b.String()
}
