package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"text/template"
)

// A style is a way to write a comment.
type style struct {
	top    string // a line of its own in front; none where it is empty
	middle string // in front of each line
	bottom string // a line of its own behind; none where it is empty
}

var (
	styleBlock      = &style{"/*", " * ", " */"}
	styleDocBlock   = &style{"/**", " * ", " */"}
	styleSlashes    = &style{"", "// ", ""}
	styleHash       = &style{"", "# ", ""}
	styleSemicolons = &style{"", ";; ", ""}
	stylePercent    = &style{"", "% ", ""}
	styleDashes     = &style{"", "-- ", ""}
	styleMarkup     = &style{"<!--", " ", "-->"}
	styleML         = &style{"(**", "   ", "*)"}
)

var styles = map[string]*style{}

func init() {
	for _, group := range []struct {
		style      *style
		extensions string
	}{
		{styleBlock, ".c .h .java .scala .kt .kts .gv"},
		{styleDocBlock, ".js .mjs .cjs .jsx .ts .mts .cts .tsx .css .scss .sass .less"},
		{styleSlashes, ".go .cc .cpp .cxx .c++ .hh .hpp .hxx .h++ .cs .rs .swift .dart .proto .php " +
			".m .mm .cu .cuh .groovy .gradle .v .sv .svh .zig .thrift .jsonnet .libsonnet .fs .sol"},
		{styleHash, ".py .pyi .pyx .sh .bash .zsh .ksh .yaml .yml .rb .dockerfile .tf .tfvars .hcl .nomad " +
			".cmake .pl .pm .tcl .toml .ex .exs .bzl .bazel .star .nix .r .jl .ps1 .psm1 .graphql .awk"},
		{styleSemicolons, ".el .lisp .lsp .cl .clj .cljs .cljc .scm .rkt"},
		{stylePercent, ".erl .hrl"},
		{styleDashes, ".hs .sql .lua .adb .ads .elm"},
		{styleMarkup, ".html .htm .xhtml .xml .xsd .xsl .xslt .vue .svelte"},
		{styleML, ".ml .mli .mll .mly"},
	} {
		for _, extension := range strings.Fields(group.extensions) {
			styles[extension] = group.style
		}
	}
}

// styleOf returns the style of a file's comments, or nil if its kind is not
// known.
func styleOf(path string) *style {
	base := strings.ToLower(filepath.Base(path))
	switch base {
	case "dockerfile", "cmakelists.txt", "cmakelists.txt.in":
		return styleHash
	}
	if strings.HasPrefix(base, "dockerfile.") || strings.HasSuffix(base, ".cmake.in") {
		return styleHash
	}
	return styles[filepath.Ext(base)]
}

// headerData is what a template can refer to.
type headerData struct {
	Year   string
	Holder string
	SPDXID string
}

// header fills the template, makes a comment of it and adds an empty line.
func (s *style) header(tmpl *template.Template, data headerData) ([]byte, error) {
	var text bytes.Buffer
	if err := tmpl.Execute(&text, data); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if s.top != "" {
		out.WriteString(s.top + "\n")
	}
	for line := range strings.Lines(text.String()) {
		line = strings.TrimRight(s.middle+strings.TrimRight(line, "\r\n"), " \t")
		out.WriteString(line + "\n")
	}
	if s.bottom != "" {
		out.WriteString(s.bottom + "\n")
	}
	out.WriteString("\n")
	return out.Bytes(), nil
}
