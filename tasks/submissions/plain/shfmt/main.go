// Command shtidy formats shell programs.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// nulFlag is a boolean flag that may also be 0, for NUL as separator.
type nulFlag struct {
	on  bool
	sep string
}

func (f *nulFlag) String() string   { return "" }
func (f *nulFlag) IsBoolFlag() bool { return true }
func (f *nulFlag) Set(s string) error {
	switch s {
	case "true":
		f.on, f.sep = true, "\n"
	case "false":
		f.on = false
	case "0":
		f.on, f.sep = true, "\x00"
	default:
		return errors.New("only -l, -l=0 and the like are possible")
	}
	return nil
}

var (
	list, find                nulFlag
	write, diff, posix        bool
	version, toJSON, fromJSON bool
	filename, lang            string
	st                        style
)

func main() { os.Exit(run()) }

func run() int {
	fl := flag.NewFlagSet("shtidy", flag.ContinueOnError)
	fl.Usage = func() { fmt.Fprint(os.Stderr, usage) }
	boolean := func(v *bool, names ...string) {
		for _, name := range names {
			fl.BoolVar(v, name, false, "")
		}
	}
	var applyIgnore bool
	for _, name := range []string{"l", "list"} {
		fl.Var(&list, name, "")
	}
	for _, name := range []string{"f", "find"} {
		fl.Var(&find, name, "")
	}
	for _, name := range []string{"ln", "language-dialect"} {
		fl.StringVar(&lang, name, "auto", "")
	}
	for _, name := range []string{"i", "indent"} {
		fl.UintVar(&st.indent, name, 0, "")
	}
	fl.StringVar(&filename, "filename", "", "")
	boolean(&version, "version")
	boolean(&write, "w", "write")
	boolean(&diff, "d", "diff")
	boolean(&applyIgnore, "apply-ignore")
	boolean(&posix, "p", "posix")
	boolean(&st.simplify, "s", "simplify")
	boolean(&st.binNext, "bn", "binary-next-line")
	boolean(&st.caseIndent, "ci", "case-indent")
	boolean(&st.spaceRedir, "sr", "space-redirects")
	boolean(&st.keepPadding, "kp", "keep-padding")
	boolean(&st.funcNext, "fn", "func-next-line")
	boolean(&st.minify, "mn", "minify")
	boolean(&toJSON, "to-json")
	boolean(&fromJSON, "from-json")
	if err := fl.Parse(os.Args[1:]); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 1
	}
	if version {
		fmt.Println("v1.0.0")
		return 0
	}
	if posix {
		if lang != "auto" {
			return fail("-p and -ln=lang cannot be used together")
		}
		lang = "posix"
	}
	switch lang {
	case "auto", "bash", "posix", "mksh", "bats":
	default:
		return fail("unknown shell language: " + lang)
	}
	if toJSON || fromJSON {
		return fail("JSON is not supported")
	}
	st.simplify = st.simplify || st.minify

	args := fl.Args()
	if len(args) == 0 || len(args) == 1 && args[0] == "-" {
		if write {
			return fail("-w cannot be used on standard input")
		}
		if find.on {
			return fail("-f cannot be used on standard input")
		}
		data, err := io.ReadAll(os.Stdin)
		if err != nil {
			return fail(err.Error())
		}
		name := filename
		if name == "" {
			name = "<standard input>"
		}
		return process(name, string(data), "")
	}
	if filename != "" {
		return fail("-filename can only be used with standard input")
	}
	status := 0
	for _, arg := range args {
		status = max(status, walk(arg))
	}
	return status
}

func fail(msg string) int {
	fmt.Fprintln(os.Stderr, msg)
	return 1
}

var shebang = regexp.MustCompile(`^#!\s?/(?:usr/)?(?:local/)?bin/(?:env\s+)?(sh|dash|bash|mksh|bats)(?:\s|$)`)

func shell(data string) string {
	line, _, _ := strings.Cut(data, "\n")
	if m := shebang.FindStringSubmatch(line); m != nil {
		return m[1]
	}
	return ""
}

func walk(root string) int {
	info, err := os.Stat(root)
	if err != nil {
		return fail(err.Error())
	}
	if !info.IsDir() {
		return file(root)
	}
	status := 0
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			status = fail(err.Error())
			return nil
		}
		if d.IsDir() {
			switch d.Name() {
			case ".git", ".svn", ".hg":
				return filepath.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() {
			return nil
		}
		switch filepath.Ext(path) {
		case ".sh", ".bash":
		case "":
			data, err := os.ReadFile(path)
			if err != nil || shell(string(data)) == "" {
				return nil
			}
		default:
			return nil
		}
		status = max(status, file(path))
		return nil
	})
	if err != nil {
		return fail(err.Error())
	}
	return status
}

func file(path string) int {
	if find.on {
		fmt.Print(path + find.sep)
		return 0
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return fail(err.Error())
	}
	return process(path, string(data), path)
}

func dialect(name, src string) string {
	if lang != "auto" {
		return lang
	}
	switch filepath.Ext(name) {
	case ".bash":
		return "bash"
	case ".mksh":
		return "mksh"
	case ".bats":
		return "bats"
	}
	switch sh := shell(src); sh {
	case "sh", "dash":
		return "posix"
	case "mksh", "bats":
		return sh
	}
	return "bash"
}

func process(name, src, path string) int {
	src2 := strings.ReplaceAll(src, "\r\n", "\n")
	prog, serr := parseProgram(src2, dialect(name, src))
	if serr != nil {
		return fail(fmt.Sprintf("%s:%d:%d: %s", name, serr.line, serr.col, serr.msg))
	}
	res := format(src2, prog, st)
	status := 0
	if res != src {
		if list.on {
			fmt.Print(name + list.sep)
		}
		if write {
			info, err := os.Stat(path)
			if err != nil {
				return fail(err.Error())
			}
			if err := os.WriteFile(path, []byte(res), info.Mode().Perm()); err != nil {
				return fail(err.Error())
			}
		}
		if diff {
			fmt.Print(unified(name, src, res))
			status = 1
		}
	}
	if !list.on && !write && !diff {
		fmt.Print(res)
	}
	return status
}
