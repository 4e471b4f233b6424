package main

import (
	"path/filepath"
	"strings"
)

// style is a way to write a comment.
type style struct {
	top, mid, bottom string
}

var (
	cStyle     = style{"/*", " * ", " */"}
	docStyle   = style{"/**", " * ", " */"}
	slashStyle = style{"", "// ", ""}
	hashStyle  = style{"", "# ", ""}
	lispStyle  = style{"", ";; ", ""}
	erlStyle   = style{"", "% ", ""}
	dashStyle  = style{"", "-- ", ""}
	htmlStyle  = style{"<!--", " ", "-->"}
	mlStyle    = style{"(**", "   ", "*)"}
)

var styles = map[string]style{}

func init() {
	for st, extensions := range map[style]string{
		cStyle:     ".c .h .gv .java .scala .kt .kts",
		docStyle:   ".js .mjs .cjs .jsx .ts .tsx .css .scss .sass .less",
		slashStyle: ".go .cc .cpp .cxx .hh .hpp .hxx .cs .rs .swift .dart .proto .php .m .mm .groovy .gradle .v .sv",
		hashStyle: ".py .sh .bash .zsh .yaml .yml .rb .dockerfile .tf .tfvars .hcl .cmake .pl .tcl .bzl .bazel .build .toml " +
			"dockerfile cmakelists.txt gemfile rakefile",
		lispStyle: ".el .lisp .lsp .scm .clj",
		erlStyle:  ".erl .hrl",
		dashStyle: ".hs .sql .sdl .lua",
		htmlStyle: ".html .htm .xml .vue .xhtml .wxi .wxl .wxs",
		mlStyle:   ".ml .mli .mll .mly",
	} {
		for _, ext := range strings.Fields(extensions) {
			styles[ext] = st
		}
	}
}

func styleOf(path string) (style, bool) {
	base := strings.ToLower(filepath.Base(path))
	if st, ok := styles[base]; ok && !strings.HasPrefix(base, ".") {
		return st, true
	}
	st, ok := styles[filepath.Ext(base)]
	return st, ok
}

// format makes a comment of the text, with an empty line behind it.
func (st style) format(text string) string {
	var b strings.Builder
	if st.top != "" {
		b.WriteString(st.top + "\n")
	}
	for _, line := range strings.Split(text, "\n") {
		b.WriteString(strings.TrimRight(st.mid+line, " \t\r") + "\n")
	}
	if st.bottom != "" {
		b.WriteString(st.bottom + "\n")
	}
	b.WriteString("\n")
	return b.String()
}
