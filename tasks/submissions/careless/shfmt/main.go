package main

import (
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

var (
	indent  = 0
	blanks  = regexp.MustCompile(`[ \t]+`)
	joiner  = regexp.MustCompile(`;?\s*\n\s*(then|do)\b`)
	fn      = regexp.MustCompile(`^(?:function\s+)?(\w+)\s*\(\s*\)\s*\{`)
	ticks   = regexp.MustCompile("`([^`]*)`")
	redir   = regexp.MustCompile(`(>>|<<<|>|<) +([^ &(])`)
	heredoc = regexp.MustCompile(`<<-?\s*['"]?(\w+)`)
	arith   = regexp.MustCompile(`\$\(\(\s*(.*?)\s*\)\)`)
	subst   = regexp.MustCompile(`\$\( +([^()]*?) +\)`)
)

func tidy(src string) string {
	src = joiner.ReplaceAllString(src, "; $1")
	var out []string
	level, end, cont := 0, "", false
	for _, l := range strings.Split(strings.TrimRight(src, "\n"), "\n") {
		if end != "" {
			out = append(out, l)
			if strings.TrimSpace(l) == end {
				end = ""
			}
			continue
		}
		l = strings.TrimSpace(l)
		if l == "" {
			if len(out) > 0 && out[len(out)-1] != "" {
				out = append(out, "")
			}
			continue
		}
		if m := heredoc.FindStringSubmatch(l); m != nil && !strings.Contains(l, "<<<") {
			end = m[1]
		}
		if !strings.ContainsAny(l, `'"#`) {
			l = blanks.ReplaceAllString(l, " ")
			l = ticks.ReplaceAllString(l, "$($1)")
			l = redir.ReplaceAllString(l, "$1$2")
			l = arith.ReplaceAllString(l, "$$(($1))")
			l = subst.ReplaceAllString(l, "$$($1)")
		}
		l = fn.ReplaceAllString(l, "$1() {")
		if !strings.HasSuffix(l, ";;") {
			l = strings.TrimRight(strings.TrimSuffix(l, ";"), " ")
		}
		word := strings.TrimRight(strings.Fields(l + " ;")[0], ";")
		switch word {
		case "fi", "done", "esac", "}", ")", "else", "elif":
			level--
		}
		n := level
		if cont {
			n++
		}
		if n < 0 {
			n = 0
		}
		pad := strings.Repeat("\t", n)
		if indent > 0 {
			pad = strings.Repeat(" ", n*indent)
		}
		out = append(out, pad+l)
		cont = strings.HasSuffix(l, "\\")
		switch {
		case word == "else", strings.HasSuffix(l, "then"), strings.HasSuffix(l, " do"), strings.HasSuffix(l, "{"), strings.HasSuffix(l, "("),
			word == "case" && strings.HasSuffix(l, " in"):
			level++
		}
	}
	return strings.Join(out, "\n") + "\n"
}

func main() {
	write := flag.Bool("w", false, "")
	list := flag.Bool("l", false, "")
	diff := flag.Bool("d", false, "")
	find := flag.Bool("f", false, "")
	version := flag.Bool("version", false, "")
	flag.IntVar(&indent, "i", 0, "")
	flag.String("ln", "auto", "")
	flag.String("filename", "", "")
	for _, n := range []string{"p", "s", "bn", "ci", "sr", "kp", "fn", "mn"} {
		flag.Bool(n, false, "")
	}
	flag.Parse()
	if *version {
		fmt.Println("v1.0.0")
		return
	}
	if flag.NArg() == 0 || flag.Arg(0) == "-" {
		b, _ := io.ReadAll(os.Stdin)
		fmt.Print(tidy(string(b)))
		return
	}
	status := 0
	for _, root := range flag.Args() {
		filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				status = 1
				return nil
			}
			if d.IsDir() {
				return nil
			}
			b, _ := os.ReadFile(path)
			ext := filepath.Ext(path)
			if path != root && ext != ".sh" && ext != ".bash" && !(ext == "" && strings.HasPrefix(string(b), "#!") && strings.Contains(strings.SplitN(string(b), "\n", 2)[0], "sh")) {
				return nil
			}
			if *find {
				fmt.Println(path)
				return nil
			}
			res := tidy(string(b))
			if *list || *diff {
				if res != string(b) {
					fmt.Println(path)
					status = 1
				}
			}
			if *write {
				if res != string(b) {
					os.WriteFile(path, []byte(res), 0o644)
				}
			} else if !*list && !*diff {
				fmt.Print(res)
			}
			return nil
		})
	}
	os.Exit(status)
}
