package main

// A comment is the text from a # to the end of a line.
type comment struct {
	text string
	line int
}

// A stmt is a command with what surrounds it.
type stmt struct {
	leading    []comment // on lines of their own in front of it
	trailing   *comment  // at the end of its line
	line, end  int       // first and last line
	negated    bool
	background bool
	cmd        command
	redirs     []*redirect // behind a compound command
}

type command interface{}

// A list is a sequence of statements, with comments behind the last one.
type list struct {
	stmts []*stmt
	last  []comment
}

type redirect struct {
	fd    string
	op    string
	word  *word
	line  int
	body  string // of a here document
	delim string
}

// An element of a simple command is a word or a redirection.
type element struct {
	word  *word
	redir *redirect
	line  int
	gap   int // blanks in front of it on its line
}

type (
	callCmd struct{ elements []element }

	blockCmd struct {
		body       list
		paren      bool
		open, shut int
	}

	ifCmd struct {
		clauses []ifClause
		other   *list // else
		elseAt  int
		shut    int
	}
	ifClause struct {
		cond, then  list
		line, then_ int
	}

	loopCmd struct {
		keyword  string // while, until, for, select
		cond     list
		head     string // formatted (( )) of a C-like loop
		name     string
		in       bool
		items    []element
		body     list
		at, open int
		shut     int
	}

	caseCmd struct {
		word  *word
		items []*caseItem
		last  []comment
		shut  int
	}
	caseItem struct {
		leading  []comment
		patterns []*word
		body     list
		op       string
		line     int
		opLine   int
	}

	funcCmd struct {
		name    string
		keyword bool
		parens  bool
		body    *stmt
	}

	binaryCmd struct {
		op          string
		left, right *stmt
		broken      bool
		between     []comment
	}

	testCmd   struct{ text []string }
	arithCmd  struct{ text string }
	prefixCmd struct { // time, coproc
		words string
		body  *stmt
	}
)

// A word is a sequence of parts that stand next to each other.
type word struct {
	parts []part
	line  int
	end   int
}

// A part is plain text, or a program or an array within a word.
type part struct {
	text  string
	body  *list // of $( ), <( ) or >( )
	open  string
	array []arrayItem
	isArr bool
	line  int
	shut  int
}

type arrayItem struct {
	word    *word
	comment *comment
	line    int
}
