package main

// Comment is a comment with its line.
type Comment struct {
	line int
	text string
}

// List is a sequence of statements with the comments behind them.
type List struct {
	stmts []*Stmt
	last  []Comment
}

// Stmt is a command with its redirections.
type Stmt struct {
	comments []Comment
	line     int
	end      int
	neg, bg  bool
	cmd      any
	redirs   []*Redir
	trail    string
}

type Redir struct {
	n, op string
	word  *Word
	body  string // of a here-document, with the line of its end
}

// Word is made of parts: string, *CmdSubst, *Array, *Arith, *Quoted.
type Word struct {
	line  int
	end   int
	parts []any
}

type Quoted struct{ parts []any }

type CmdSubst struct {
	open      string // "$(", "<(" or ">("
	list      *List
	line, end int
}

type Arith struct{ text string }

type Array struct {
	elems     []*Word
	line, end int
}

type Call struct{ words []*Word }

type Prefix struct {
	name string
	stmt *Stmt
}

type Binary struct {
	op   string
	x, y *Stmt
}

type Group struct { // { } or ( )
	open, close string
	list        *List
	line, end   int
}

type Clause struct {
	cond, body *List
	line       int // of then
}

type If struct {
	clauses []*Clause
	els     *List
	elsLine int
	end     int
}

type Loop struct {
	head      string // while, until, or ""
	cond      *List
	vars      []*Word // for and select: the words of the head
	arith     string
	kind      string // for, select
	body      *List
	line, end int // of do and done
}

type Item struct {
	comments  []Comment
	patterns  []*Word
	body      *List
	op        string
	line, end int
	trail     string
}

type Case struct {
	word      *Word
	items     []*Item
	last      []Comment
	line, end int
}

type Func struct {
	name string
	body *Stmt
}

type ArithCmd struct{ text string }

type Test struct{ tokens []*Word }
