// Command shtidy formats shell programs.
package main

import (
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

const usage = `usage: shtidy [flags] [path ...]

shtidy formats shell programs. If the only argument is a dash ('-') or no
arguments are given, standard input will be used. If a given path is a
directory, all shell scripts found under that directory will be used.

  --version  show version and exit

  -l[=0], --list[=0]  list files whose formatting differs from shtidy;
                      paths are separated by a newline or a null character if -l=0
  -w,     --write     write result to file instead of stdout
  -d,     --diff      error with a diff when the formatting differs
  --apply-ignore      always apply EditorConfig ignore rules
  --filename str      provide a name for the standard input file

Parser options:

  -ln, --language-dialect str  bash/posix/mksh/bats, default "auto"
  -p,  --posix                 shorthand for -ln=posix
  -s,  --simplify              simplify the code

Printer options:

  -i,  --indent uint       0 for tabs (default), >0 for number of spaces
  -bn, --binary-next-line  binary ops like && and | may start a line
  -ci, --case-indent       switch cases will be indented
  -sr, --space-redirects   redirect operators will be followed by a space
  -kp, --keep-padding      keep column alignment paddings
  -fn, --func-next-line    function opening braces are placed on a separate line
  -mn, --minify             minify the code to reduce its size (implies -s)

Utilities:

  -f[=0], --find[=0]  recursively find all shell files and print the paths;
                      paths are separated by a newline or a null character if -f=0
  --to-json           print syntax tree to stdout as a typed JSON
  --from-json         read syntax tree from stdin as a typed JSON

Formatting options can also be read from EditorConfig files; see 'man shtidy'
for a detailed description of the tool's behavior.
For more information and to report bugs, see (address left out).
`

// A listFlag is a flag that may be given as -l or as -l=0.
type listFlag struct{ on, null bool }

func (f *listFlag) IsBoolFlag() bool { return true }

func (f *listFlag) String() string { return "" }

func (f *listFlag) Set(s string) error {
	if s == "0" {
		f.on, f.null = true, true
		return nil
	}
	on, err := strconv.ParseBool(s)
	f.on = on
	return err
}

func (f *listFlag) print(path string) {
	if f.null {
		fmt.Print(path + "\x00")
	} else {
		fmt.Println(path)
	}
}

var (
	listing, finding                  listFlag
	write, diff, posix, simple, showV bool
	ignored, toJSON, fromJSON         bool
	dialect, filename                 string
	opts                              options
)

func defineFlags() {
	both := func(p *bool, names ...string) {
		for _, name := range names {
			flag.BoolVar(p, name, false, "")
		}
	}
	flag.BoolVar(&showV, "version", false, "")
	for _, name := range []string{"l", "list"} {
		flag.Var(&listing, name, "")
	}
	for _, name := range []string{"f", "find"} {
		flag.Var(&finding, name, "")
	}
	both(&write, "w", "write")
	both(&diff, "d", "diff")
	both(&ignored, "apply-ignore")
	flag.StringVar(&filename, "filename", "", "")
	for _, name := range []string{"ln", "language-dialect"} {
		flag.StringVar(&dialect, name, "auto", "")
	}
	both(&posix, "p", "posix")
	both(&simple, "s", "simplify")
	for _, name := range []string{"i", "indent"} {
		flag.UintVar(&opts.indent, name, 0, "")
	}
	both(&opts.nextLine, "bn", "binary-next-line")
	both(&opts.caseIndent, "ci", "case-indent")
	both(&opts.spaceRedir, "sr", "space-redirects")
	both(&opts.padding, "kp", "keep-padding")
	both(&opts.funcNext, "fn", "func-next-line")
	both(&opts.minify, "mn", "minify")
	both(&toJSON, "to-json")
	both(&fromJSON, "from-json")
	flag.CommandLine.Init("shtidy", flag.ContinueOnError)
	flag.Usage = func() { fmt.Fprint(os.Stderr, usage) }
}

func main() { os.Exit(run()) }

func complain(err error) int {
	fmt.Fprintln(os.Stderr, err)
	return 1
}

func run() int {
	defineFlags()
	if err := flag.CommandLine.Parse(os.Args[1:]); err == flag.ErrHelp {
		return 0
	} else if err != nil {
		return 1
	}
	switch dialect {
	case "auto", "bash", "mksh", "bats", "posix":
	default:
		return complain(fmt.Errorf("invalid dialect %q", dialect))
	}
	if posix && dialect != "auto" {
		return complain(fmt.Errorf("-p and -ln=lang cannot coexist"))
	}
	if posix {
		dialect = "posix"
	}
	simple = simple || opts.minify
	if showV {
		fmt.Println("v1.0.0")
		return 0
	}
	if toJSON || fromJSON {
		return complain(fmt.Errorf("syntax trees as JSON are not supported"))
	}
	args := flag.Args()
	if len(args) == 0 || len(args) == 1 && args[0] == "-" {
		return formatStdin()
	}
	if filename != "" {
		return complain(fmt.Errorf("-filename can only be used with stdin"))
	}
	status := 0
	for _, path := range args {
		if path == "-" {
			return complain(fmt.Errorf("- can only be used as the only argument"))
		}
		status = max(status, walk(path))
	}
	return status
}

func formatStdin() int {
	name := filename
	if name == "" {
		name = "<standard input>"
	}
	if write {
		return complain(fmt.Errorf("-w cannot be used on standard input"))
	}
	data, err := io.ReadAll(os.Stdin)
	if err != nil {
		return complain(err)
	}
	if finding.on {
		return 0
	}
	return formatText(name, string(data), "")
}

var (
	extension = regexp.MustCompile(`\.(sh|bash|mksh|bats)$`)
	shebang   = regexp.MustCompile(`^#!\s?/(?:usr/)?bin/(?:env\s+)?(sh|bash|mksh|bats|dash|ksh)(?:\s|$)`)
)

// walk formats a file, or the shell programs in a folder.
func walk(root string) int {
	info, err := os.Stat(root)
	if err != nil {
		return complain(err)
	}
	if !info.IsDir() {
		if finding.on {
			finding.print(root)
			return 0
		}
		return formatFile(root)
	}
	status := 0
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); path != root && (name == ".git" || name == ".svn" || name == ".hg") {
				return filepath.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() || !isShell(path) {
			return nil
		}
		if finding.on {
			finding.print(path)
		} else {
			status = max(status, formatFile(path))
		}
		return nil
	})
	if err != nil {
		return complain(err)
	}
	return status
}

// isShell tells whether a file is a shell program: by its extension or, if
// it has none, by its first line.
func isShell(path string) bool {
	name := filepath.Base(path)
	if extension.MatchString(name) {
		return !strings.HasPrefix(name, ".") || strings.Count(name, ".") > 1
	}
	if strings.Contains(name, ".") {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 64)
	n, _ := io.ReadFull(f, head)
	return shebang.Match(head[:n])
}

func formatFile(path string) int {
	data, err := os.ReadFile(path)
	if err != nil {
		return complain(err)
	}
	return formatText(path, string(data), path)
}

func isPosix(name, text string) bool {
	if dialect != "auto" {
		return dialect == "posix"
	}
	if match := regexp.MustCompile(`\.(bash|mksh|bats)$`).FindString(name); match != "" {
		return false
	}
	if match := shebang.FindStringSubmatch(text); match != nil {
		return match[1] == "sh" || match[1] == "dash"
	}
	return false
}

// formatText formats a program, and reports or writes the result.
func formatText(name, text, path string) int {
	tree, err := parseProgram(text, isPosix(name, text), simple)
	if err != nil {
		return complain(fmt.Errorf("%s:%v", name, err))
	}
	result := format(tree, opts)
	status := 0
	if result != text {
		if listing.on {
			listing.print(name)
		}
		if write && path != "" {
			info, err := os.Stat(path)
			if err == nil {
				err = os.WriteFile(path, []byte(result), info.Mode().Perm())
			}
			if err != nil {
				return complain(err)
			}
		}
		if diff {
			fmt.Print(unifiedDiff(name, text, result))
			status = 1
		}
	}
	if !listing.on && !write && !diff {
		fmt.Print(result)
	}
	return status
}
