package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

type options struct {
	noDigit  bool
	noUnset  bool
	noEmpty  bool
	failFast bool
}

var errStop = errors.New("stopped at the first failure")

// node is a piece of a template: plain text, or a reference to a variable.
type node struct {
	text string // the source text
	name string // name of the variable, empty for plain text
	op   string // "", "-", ":-", "=", ":=", "+", ":+"
	arg  []node
}

func isNameStart(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || isDigit(c)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func nameLen(s string) int {
	n := 0
	for n < len(s) && isNameStart(s[n]) {
		n++
	}
	return n
}

type parser struct {
	s   string
	pos int
}

// parse reads nodes up to the end of the text, or inside of braces up to the
// closing brace.
func (p *parser) parse(inBraces bool) ([]node, error) {
	var nodes []node
	var plain strings.Builder
	flush := func() {
		if plain.Len() > 0 {
			nodes = append(nodes, node{text: plain.String()})
			plain.Reset()
		}
	}
	for p.pos < len(p.s) {
		c := p.s[p.pos]
		if inBraces && c == '}' {
			flush()
			return nodes, nil
		}
		if c != '$' {
			plain.WriteByte(c)
			p.pos++
			continue
		}
		rest := p.s[p.pos+1:]
		switch {
		case strings.HasPrefix(rest, "$"):
			after := rest[1:]
			if n := nameLen(after); n > 0 {
				plain.WriteString("$" + after[:n])
				p.pos += 2 + n
			} else if strings.HasPrefix(after, "{") {
				plain.WriteString("${")
				p.pos += 3
				if end := strings.IndexByte(p.s[p.pos:], '}'); end >= 0 {
					plain.WriteString(p.s[p.pos : p.pos+end+1])
					p.pos += end + 1
				}
			} else {
				plain.WriteString("$$")
				p.pos += 2
			}
		case strings.HasPrefix(rest, "{"):
			flush()
			n, err := p.reference()
			if err != nil {
				return nil, err
			}
			nodes = append(nodes, n)
		case nameLen(rest) > 0:
			flush()
			n := nameLen(rest)
			nodes = append(nodes, node{text: "$" + rest[:n], name: rest[:n]})
			p.pos += 1 + n
		default:
			plain.WriteByte('$')
			p.pos++
		}
	}
	if inBraces {
		return nil, errors.New("closing brace expected")
	}
	flush()
	return nodes, nil
}

// reference reads an expression in braces.
func (p *parser) reference() (node, error) {
	start := p.pos
	p.pos += 2
	n := nameLen(p.s[p.pos:])
	if n == 0 {
		return node{}, errors.New("bad substitution: name expected")
	}
	ref := node{name: p.s[p.pos : p.pos+n]}
	p.pos += n
	rest := p.s[p.pos:]
	for _, op := range []string{":-", ":=", ":+", "-", "=", "+"} {
		if strings.HasPrefix(rest, op) {
			ref.op = op
			p.pos += len(op)
			arg, err := p.parse(true)
			if err != nil {
				return node{}, err
			}
			ref.arg = arg
			break
		}
	}
	if p.pos >= len(p.s) || p.s[p.pos] != '}' {
		return node{}, errors.New("bad substitution: closing brace expected")
	}
	p.pos++
	ref.text = p.s[start:p.pos]
	return ref, nil
}

type filler struct {
	opts options
	errs []error
}

func (f *filler) fill(s string) (string, error) {
	p := parser{s: s}
	nodes, err := p.parse(false)
	if err != nil {
		return "", err
	}
	return f.eval(nodes)
}

func (f *filler) eval(nodes []node) (string, error) {
	var out strings.Builder
	for _, n := range nodes {
		if n.name == "" {
			out.WriteString(n.text)
			continue
		}
		text, err := f.evalRef(n)
		if err != nil {
			return "", err
		}
		out.WriteString(text)
	}
	return out.String(), nil
}

func (f *filler) evalRef(n node) (string, error) {
	if f.opts.noDigit && isDigit(n.name[0]) {
		return n.text, nil
	}
	value, set := os.LookupEnv(n.name)
	switch n.op {
	case "-", "=":
		if !set {
			return f.eval(n.arg)
		}
	case ":-", ":=":
		if value == "" {
			return f.eval(n.arg)
		}
	case "+":
		if set {
			return f.eval(n.arg)
		}
		return "", nil
	case ":+":
		if value != "" {
			return f.eval(n.arg)
		}
		return "", nil
	}
	if !set && f.opts.noUnset {
		return "", f.fail(fmt.Errorf("variable ${%s} not set", n.name))
	}
	if set && value == "" && f.opts.noEmpty {
		return "", f.fail(fmt.Errorf("variable ${%s} set but empty", n.name))
	}
	return value, nil
}

func (f *filler) fail(err error) error {
	f.errs = append(f.errs, err)
	if f.opts.failFast {
		return errStop
	}
	return nil
}
