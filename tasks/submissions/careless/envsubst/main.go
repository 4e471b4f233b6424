package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
)

var ref = regexp.MustCompile(`\$\$\w+|\$\{(\w+)(?:(:?[-=+])([^}]*))?\}|\$(\w+)`)

func main() {
	in := flag.String("i", "", "")
	out := flag.String("o", "", "")
	noDigit := flag.Bool("no-digit", false, "")
	noUnset := flag.Bool("no-unset", false, "")
	noEmpty := flag.Bool("no-empty", false, "")
	failFast := flag.Bool("fail-fast", false, "")
	flag.Parse()
	if *in == "" && flag.NArg() > 0 {
		*in = flag.Arg(flag.NArg() - 1)
	}
	var data []byte
	var err error
	if *in != "" {
		data, err = os.ReadFile(*in)
	} else {
		data, err = io.ReadAll(os.Stdin)
	}
	check(err)
	w := os.Stdout
	if *out != "" {
		w, err = os.Create(*out)
		check(err)
	}
	failed := false
	fail := func(msg string) {
		fmt.Fprintln(os.Stderr, msg)
		failed = true
		if *failFast {
			os.Exit(1)
		}
	}
	var fill func(s string) string
	fill = func(s string) string {
		return ref.ReplaceAllStringFunc(s, func(m string) string {
			if m[1] == '$' {
				return m[1:]
			}
			g := ref.FindStringSubmatch(m)
			name := g[1] + g[4]
			if *noDigit && name[0] >= '0' && name[0] <= '9' {
				return m
			}
			v, set := os.LookupEnv(name)
			switch g[2] {
			case "-", "=":
				if !set {
					return fill(g[3])
				}
			case ":-", ":=":
				if v == "" {
					return fill(g[3])
				}
			case "+":
				if set {
					return fill(g[3])
				}
				return ""
			case ":+":
				if v != "" {
					return fill(g[3])
				}
				return ""
			}
			if !set && *noUnset {
				fail("variable ${" + name + "} not set")
			}
			if set && v == "" && *noEmpty {
				fail("variable ${" + name + "} set but empty")
			}
			return v
		})
	}
	res := fill(string(data))
	if failed {
		os.Exit(1)
	}
	io.WriteString(w, res)
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
