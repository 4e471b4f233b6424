// Command envfill fills environment variables into a text.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

const usage = `Usage: envfill [options...] <input>
Options:
  -i         Specify file input, otherwise use last argument as input file.
             If no input file is specified, read from stdin.
  -o         Specify file output. If none is specified, write to stdout.
  -no-digit  Do not replace variables starting with a digit. e.g. $1 and ${1}
  -no-unset  Fail if a variable is not set.
  -no-empty  Fail if a variable is set but empty.
  -fail-fast Fail on first error otherwise display all failures if restrictions are set.
`

func main() {
	input := flag.String("i", "", "")
	output := flag.String("o", "", "")
	var opts options
	flag.BoolVar(&opts.noDigit, "no-digit", false, "")
	flag.BoolVar(&opts.noUnset, "no-unset", false, "")
	flag.BoolVar(&opts.noEmpty, "no-empty", false, "")
	flag.BoolVar(&opts.failFast, "fail-fast", false, "")
	flag.Usage = func() { fmt.Fprint(os.Stderr, usage) }
	flag.Parse()

	if *input == "" && flag.NArg() > 0 {
		*input = flag.Arg(flag.NArg() - 1)
	}
	if errs := run(*input, *output, opts); len(errs) > 0 {
		for _, err := range errs {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(1)
	}
}

func run(input, output string, opts options) []error {
	var data []byte
	var err error
	if input != "" {
		data, err = os.ReadFile(input)
	} else {
		data, err = io.ReadAll(os.Stdin)
	}
	if err != nil {
		return []error{err}
	}

	out := os.Stdout
	if output != "" {
		out, err = os.Create(output)
		if err != nil {
			return []error{err}
		}
		defer out.Close()
	}

	f := filler{opts: opts}
	text, err := f.fill(string(data))
	if err != nil && !errors.Is(err, errStop) {
		return append(f.errs, err)
	}
	if len(f.errs) > 0 {
		return f.errs
	}
	if _, err := io.WriteString(out, text); err != nil {
		return []error{err}
	}
	return nil
}
