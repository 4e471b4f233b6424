package main

import (
	"fmt"
	"strings"
)

// A node is a part of a template: plain text, or a reference to a variable.
type node struct {
	text string // for plain text
	ref  *reference
}

// A reference stands for a variable, with an operator and a word that goes
// with it where it is written as ${name OP word}.
type reference struct {
	name string
	op   string // "", "-", ":-", "=", ":=", "+" or ":+"
	word []node
}

type parser struct {
	src     string
	pos     int
	noDigit bool
}

// parse splits a template into its nodes. With noDigit, references whose
// name begins with a digit are plain text.
func parse(src string, noDigit bool) ([]node, error) {
	p := &parser{src: src, noDigit: noDigit}
	var nodes []node
	for p.pos < len(src) {
		i := strings.IndexByte(src[p.pos:], '$')
		if i < 0 {
			nodes = append(nodes, node{text: src[p.pos:]})
			break
		}
		if i > 0 {
			nodes = append(nodes, node{text: src[p.pos : p.pos+i]})
			p.pos += i
		}
		n, err := p.dollar()
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, n)
	}
	return nodes, nil
}

// dollar parses what begins with the dollar sign at the current position.
func (p *parser) dollar() (node, error) {
	rest := p.src[p.pos+1:]
	switch {
	case strings.HasPrefix(rest, "$"): // $$ is an escape
		p.pos += 2
		return node{text: "$"}, nil
	case strings.HasPrefix(rest, "{"):
		return p.braced()
	}
	name := leadingName(rest)
	if name == "" {
		p.pos++
		return node{text: "$"}, nil
	}
	p.pos += 1 + len(name)
	return p.variable(name, "$"+name), nil
}

// braced parses ${...} at the current position.
func (p *parser) braced() (node, error) {
	start := p.pos
	p.pos += 2
	name := leadingName(p.src[p.pos:])
	p.pos += len(name)
	if p.pos >= len(p.src) {
		return node{}, p.unclosed(start)
	}
	if name == "" {
		return node{}, p.bad(start)
	}
	if p.src[p.pos] == '}' {
		p.pos++
		return p.variable(name, p.src[start:p.pos]), nil
	}
	op := leadingOperator(p.src[p.pos:])
	if op == "" {
		return node{}, p.bad(start)
	}
	p.pos += len(op)
	word, err := p.word(start)
	if err != nil {
		return node{}, err
	}
	if p.isDigitName(name) {
		return node{text: p.src[start:p.pos]}, nil
	}
	return node{ref: &reference{name: name, op: op, word: word}}, nil
}

// word parses the text or the reference behind an operator, and the closing
// brace of the expression that begins at start.
func (p *parser) word(start int) ([]node, error) {
	var nodes []node
	if strings.HasPrefix(p.src[p.pos:], "${") {
		n, err := p.braced()
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, n)
	}
	i := strings.IndexByte(p.src[p.pos:], '}')
	if i < 0 {
		return nil, p.unclosed(start)
	}
	text := p.src[p.pos : p.pos+i]
	p.pos += i + 1
	switch {
	case len(nodes) > 0 || text == "":
	case strings.HasPrefix(text, "$$"):
		text = text[1:]
	case text[0] == '$' && leadingName(text[1:]) != "":
		// A reference reaches up to the brace: there is no joining of several
		// references or of text to them.
		return []node{p.variable(text[1:], text)}, nil
	}
	if text != "" {
		nodes = append(nodes, node{text: text})
	}
	return nodes, nil
}

// variable makes a node of a plain reference that is written as source.
func (p *parser) variable(name, source string) node {
	if p.isDigitName(name) {
		return node{text: source}
	}
	return node{ref: &reference{name: name}}
}

func (p *parser) isDigitName(name string) bool {
	return p.noDigit && name[0] >= '0' && name[0] <= '9'
}

func (p *parser) unclosed(start int) error {
	return fmt.Errorf("line %d: closing brace expected", p.line(start))
}

func (p *parser) bad(start int) error {
	return fmt.Errorf("line %d: bad substitution", p.line(start))
}

func (p *parser) line(pos int) int {
	return 1 + strings.Count(p.src[:pos], "\n")
}

// leadingName returns the longest name that s begins with.
func leadingName(s string) string {
	i := 0
	for i < len(s) && isNameByte(s[i]) {
		i++
	}
	return s[:i]
}

func isNameByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// leadingOperator returns the operator that s begins with, if any.
func leadingOperator(s string) string {
	for _, op := range []string{":-", ":=", ":+", "-", "=", "+"} {
		if strings.HasPrefix(s, op) {
			return op
		}
	}
	return ""
}
