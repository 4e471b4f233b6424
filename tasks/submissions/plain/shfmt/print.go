package main

import (
	"strings"
	"unicode/utf8"
)

type style struct {
	indent                                       uint
	binNext, caseIndent, spaceRedir, keepPadding bool
	funcNext, minify, simplify                   bool
}

// mark stands before a comment at the end of a line until it is aligned.
const mark = "\x00"

type printer struct {
	style
	lines   []string // of the source
	out     strings.Builder
	level   int
	docs    []string
	inChain bool
}

func format(src string, list *List, st style) string {
	p := &printer{style: st, lines: strings.Split(src, "\n")}
	if st.minify {
		if strings.HasPrefix(src, "#!") {
			p.out.WriteString(p.lines[0] + "\n")
		}
	}
	p.list(list, true)
	if p.out.Len() > 0 && !strings.HasSuffix(p.out.String(), "\n") {
		p.newline()
	}
	return align(strings.TrimSuffix(p.out.String(), strings.Repeat("\t", p.level)))
}

func (p *printer) write(s string) { p.out.WriteString(s) }

func (p *printer) space() {
	if !p.minify {
		p.write(" ")
	}
}

func (p *printer) tab(n int) string {
	if p.minify || n <= 0 {
		return ""
	}
	if p.indent == 0 {
		return strings.Repeat("\t", n)
	}
	return strings.Repeat(" ", n*int(p.indent))
}

func (p *printer) endLine() {
	p.write("\n")
	for _, d := range p.docs {
		p.write(d + "\n")
	}
	p.docs = nil
}

func (p *printer) newline() {
	p.endLine()
	p.write(p.tab(p.level))
}

// blank tells whether an empty line stands before a line of the source.
func (p *printer) blank(line int) bool {
	return !p.minify && line >= 2 && line-2 < len(p.lines) && strings.TrimSpace(p.lines[line-2]) == ""
}

// list prints statements, one a line, and starts a line for each but the first.
func (p *printer) list(l *List, first bool) {
	next := func(line int) {
		if !first {
			if p.blank(line) {
				p.endLine()
			}
			p.newline()
		}
		first = false
	}
	comments := func(list []Comment) {
		if p.minify {
			return
		}
		for _, c := range list {
			next(c.line)
			p.write(c.text)
		}
	}
	for _, s := range l.stmts {
		comments(s.comments)
		next(s.line)
		p.stmt(s)
		if s.trail != "" && !p.minify {
			p.write(mark + s.trail)
		}
	}
	comments(l.last)
}

// nested prints a list on lines of its own, one level deeper.
func (p *printer) nested(l *List) {
	chain := p.inChain
	p.inChain = false
	p.level++
	if len(l.stmts)+len(l.last) > 0 {
		p.newline()
		p.list(l, true)
	}
	p.level--
	p.inChain = chain
	p.newline()
}

func inline(l *List, start, end int) bool {
	if start != end || len(l.stmts) > 1 || len(l.last) > 0 {
		return false
	}
	for _, s := range l.stmts {
		if len(s.comments) > 0 || s.trail != "" {
			return false
		}
	}
	return true
}

// line prints a list of at most one statement where it stands.
func (p *printer) line(l *List) {
	for i, s := range l.stmts {
		if i > 0 {
			p.write("; ")
		}
		p.stmt(s)
	}
}

// semi ends the statement of a list in a line.
func (p *printer) semi(l *List) {
	if n := len(l.stmts); n == 0 || !l.stmts[n-1].bg {
		p.write(";")
	}
	p.space()
}

func (p *printer) stmt(s *Stmt) {
	if s.neg {
		p.write("! ")
	}
	p.command(s.cmd)
	for i, r := range s.redirs {
		if i > 0 || s.cmd != nil {
			p.space()
			if p.minify && (r.n != "") {
				p.write(" ")
			}
		}
		p.write(r.n + r.op)
		if p.spaceRedir && r.op != "<&" && r.op != ">&" && !strings.HasPrefix(r.op, "<<") {
			p.write(" ")
		} else if p.spaceRedir && r.op == "<<<" {
			p.write(" ")
		}
		p.word(r.word)
		if r.op == "<<" || r.op == "<<-" {
			p.docs = append(p.docs, r.body)
		}
	}
	if s.bg {
		p.space()
		p.write("&")
	}
}

func (p *printer) words(words []*Word) {
	deeper := false
	for i, w := range words {
		if i > 0 {
			if w.line > words[i-1].end && words[i-1].end > 0 && !p.minify {
				if !deeper {
					p.level++
					deeper = true
				}
				p.write(" \\")
				p.newline()
			} else {
				p.write(" ")
			}
		}
		p.word(w)
	}
	if deeper {
		p.level--
	}
}

func (p *printer) word(w *Word) { p.parts(w.parts) }

func (p *printer) parts(parts []any) {
	for _, part := range parts {
		switch x := part.(type) {
		case string:
			p.write(x)
		case *Quoted:
			p.write(`"`)
			p.parts(x.parts)
			p.write(`"`)
		case *Arith:
			p.write("$((" + formatArith(x.text, p.simplify, p.minify) + "))")
		case *CmdSubst:
			p.write(x.open)
			if len(x.list.stmts) > 0 {
				if g, ok := x.list.stmts[0].cmd.(*Group); ok && g.open == "(" {
					p.write(" ")
				}
			}
			if inline(x.list, x.line, x.end) {
				p.line(x.list)
			} else if len(x.list.stmts) == 1 && x.list.stmts[0].line == x.line && len(x.list.last) == 0 {
				p.list(x.list, true)
				if len(p.docs) > 0 {
					p.newline()
				}
			} else {
				p.nested(x.list)
			}
			p.write(")")
		case *Array:
			p.array(x)
		}
	}
}

func (p *printer) array(a *Array) {
	p.write("(")
	line := a.line
	p.level++
	for i, e := range a.elems {
		if e.line > line && !p.minify {
			p.newline()
		} else if i > 0 {
			p.write(" ")
		}
		p.word(e)
		line = e.end
	}
	p.level--
	if a.end > line && !p.minify {
		p.newline()
	}
	p.write(")")
}

func (p *printer) group(g *Group, isFunc bool) {
	p.write(g.open)
	if inline(g.list, g.line, g.end) && !(p.minify && g.open == "{" && isFunc) {
		if g.open == "{" {
			p.write(" ")
			p.line(g.list)
			p.semi(g.list)
		} else {
			if len(g.list.stmts) > 0 {
				if inner, ok := g.list.stmts[0].cmd.(*Group); ok && inner.open == "(" {
					p.write(" ")
				}
			}
			p.line(g.list)
		}
	} else if p.minify && g.open == "(" {
		p.list(g.list, true)
	} else {
		p.nested(g.list)
	}
	p.write(g.close)
}

// head prints the condition of if and while, up to the word then or do.
func (p *printer) head(word string, cond *List, next string) {
	p.write(word)
	if len(cond.stmts) == 1 && len(cond.last) == 0 && len(cond.stmts[0].comments) == 0 && cond.stmts[0].trail == "" {
		p.write(" ")
		p.stmt(cond.stmts[0])
		if len(p.docs) > 0 {
			p.newline()
		} else {
			p.semi(cond)
		}
	} else {
		p.nested(cond)
	}
	p.write(next)
}

func (p *printer) command(cmd any) {
	switch c := cmd.(type) {
	case *Call:
		p.words(c.words)
	case *Prefix:
		p.write(c.name + " ")
		p.stmt(c.stmt)
	case *Binary:
		p.binary(c)
	case *Group:
		p.group(c, false)
	case *If:
		p.ifCmd(c)
	case *Loop:
		p.loop(c)
	case *Case:
		p.caseCmd(c)
	case *Func:
		p.write(c.name + "()")
		if p.funcNext {
			p.newline()
		} else {
			p.space()
		}
		if g, ok := c.body.cmd.(*Group); ok {
			redirs := *c.body
			p.group(g, true)
			redirs.cmd = nil
			if len(redirs.redirs) > 0 {
				p.space()
				p.stmt(&redirs)
			}
		} else {
			p.stmt(c.body)
		}
	case *ArithCmd:
		p.write("((" + formatArith(c.text, p.simplify, p.minify) + "))")
	case *Test:
		p.test(c)
	}
}

func (p *printer) binary(b *Binary) {
	outer := p.inChain
	p.inChain = true
	if x, ok := b.x.cmd.(*Binary); ok && !b.x.neg {
		p.binary(x)
	} else {
		p.inChain = false
		p.stmt(b.x)
		p.inChain = true
	}
	broken := b.y.line > b.x.end && !p.minify
	if !outer {
		p.inChain = false
	}
	switch {
	case !broken:
		p.space()
		p.write(b.op)
		p.space()
		p.stmt(b.y)
	default:
		p.level++
		if p.binNext && len(p.docs) == 0 {
			p.write(" \\")
			for _, c := range b.y.comments {
				p.newline()
				p.write(c.text)
			}
			p.newline()
			p.write(b.op + " ")
		} else {
			p.write(" " + b.op)
			for _, c := range b.y.comments {
				p.newline()
				p.write(c.text)
			}
			p.newline()
		}
		p.stmt(b.y)
		p.level--
	}
	p.inChain = outer
}

func (p *printer) ifCmd(c *If) {
	one := true
	last := c.clauses[0].line
	for _, cl := range c.clauses {
		one = one && cl.line == last && inline(cl.body, last, c.end)
	}
	if c.els != nil {
		one = one && inline(c.els, c.elsLine, c.end)
	}
	body := func(l *List) {
		if one {
			p.space()
			if p.minify {
				p.line(l)
				p.write(";")
				return
			}
			p.line(l)
			p.semi(l)
		} else {
			p.nested(l)
		}
	}
	for i, cl := range c.clauses {
		word := "if"
		if i > 0 {
			word = "elif"
		}
		p.head(word, cl.cond, "then")
		if one && p.minify {
			p.write(" ")
		}
		body(cl.body)
	}
	if c.els != nil {
		p.write("else")
		if one && p.minify {
			p.write(" ")
		}
		body(c.els)
	}
	p.write("fi")
}

func (p *printer) loop(c *Loop) {
	switch {
	case c.head != "":
		p.head(c.head, c.cond, "do")
	case c.arith != "":
		p.write("for")
		p.space()
		p.write("((" + formatArith(c.arith, p.simplify, p.minify) + "))")
		p.write(";")
		p.space()
		p.write("do")
	default:
		p.write(c.kind + " ")
		p.words(c.vars)
		p.write(";")
		p.space()
		p.write("do")
	}
	if inline(c.body, c.line, c.end) {
		p.write(" ")
		p.line(c.body)
		p.semi(c.body)
	} else {
		p.nested(c.body)
	}
	p.write("done")
}

func (p *printer) caseCmd(c *Case) {
	p.write("case ")
	p.word(c.word)
	p.write(" in")
	one := c.line == c.end
	for _, item := range c.items {
		one = one && inline(item.body, c.line, item.end)
	}
	if p.caseIndent && !one {
		p.level++
	}
	for i, item := range c.items {
		if one {
			p.write(" ")
		} else {
			if !p.minify {
				for j, cm := range item.comments {
					if i+j > 0 && p.blank(cm.line) {
						p.endLine()
					}
					p.newline()
					p.write(cm.text)
				}
			}
			if i+len(item.comments) > 0 && p.blank(item.line) {
				p.endLine()
			}
			p.newline()
		}
		for j, w := range item.patterns {
			if j > 0 {
				p.space()
				p.write("|")
				p.space()
			}
			p.word(w)
		}
		p.write(")")
		final := i == len(c.items)-1
		end := item.op
		if p.minify && final {
			end = ""
		}
		if inline(item.body, item.line, item.end) || len(item.body.stmts)+len(item.body.last) == 0 ||
			final && item.op == ";;" && len(item.body.stmts) == 1 && item.body.stmts[0].line == item.line && item.body.stmts[0].end == item.line && len(item.body.last) == 0 && item.body.stmts[0].trail == "" {
			if len(item.body.stmts) > 0 {
				p.space()
				p.line(item.body)
			}
			p.space()
			p.write(end)
		} else {
			p.level++
			p.newline()
			p.list(item.body, true)
			if end != "" {
				p.newline()
				p.write(end)
			}
			p.level--
		}
		if item.trail != "" && !p.minify {
			p.write(mark + item.trail)
		}
	}
	if !p.minify {
		for _, cm := range c.last {
			p.newline()
			p.write(cm.text)
		}
	}
	if p.caseIndent && !one {
		p.level--
	}
	if one {
		p.write(" ")
	} else {
		p.newline()
	}
	p.write("esac")
}

func (p *printer) test(t *Test) {
	p.write("[[ ")
	prev := ""
	for i, w := range t.tokens {
		text := w.text()
		if i > 0 && prev != "(" && !(text == ")" && len(w.parts) == 1) {
			p.write(" ")
		}
		prev = ""
		if len(w.parts) == 1 {
			prev = text
		}
		if q, ok := soleQuoted(w); ok && p.simplify {
			before := ""
			if i > 0 {
				before = t.tokens[i-1].text()
			}
			switch before {
			case "=", "==", "!=", "=~":
			default:
				p.parts(q.parts)
				continue
			}
		}
		p.word(w)
	}
	p.write(" ]]")
}

// soleQuoted finds a word that is nothing but a variable in double quotes.
func soleQuoted(w *Word) (*Quoted, bool) {
	if len(w.parts) != 1 {
		return nil, false
	}
	q, ok := w.parts[0].(*Quoted)
	if !ok || len(q.parts) != 1 {
		return nil, false
	}
	s, ok := q.parts[0].(string)
	if !ok || !strings.HasPrefix(s, "$") {
		return nil, false
	}
	return q, isName(s[1:]) || strings.HasPrefix(s, "${") && strings.IndexByte(s, '}') == len(s)-1 && !strings.Contains(s, " ")
}

// align puts the comments at the end of consecutive lines into one column.
func align(text string) string {
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); {
		if !strings.Contains(lines[i], mark) {
			lines[i] = trimBlank(lines[i])
			i++
			continue
		}
		j, width := i, 0
		for j < len(lines) && strings.Contains(lines[j], mark) {
			width = max(width, utf8.RuneCountInString(lines[j][:strings.Index(lines[j], mark)]))
			j++
		}
		for ; i < j; i++ {
			code, comment, _ := strings.Cut(lines[i], mark)
			lines[i] = code + strings.Repeat(" ", width-utf8.RuneCountInString(code)+1) + comment
		}
	}
	return strings.Join(lines, "\n")
}

// trimBlank empties a line that is nothing but tabs.
func trimBlank(line string) string {
	if strings.Trim(line, "\t") == "" {
		return ""
	}
	return line
}
