// Command envfill fills environment variables into a text.
package main

import (
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
	noDigit := flag.Bool("no-digit", false, "")
	noUnset := flag.Bool("no-unset", false, "")
	noEmpty := flag.Bool("no-empty", false, "")
	failFast := flag.Bool("fail-fast", false, "")
	flag.Usage = func() { fmt.Fprint(os.Stderr, usage) }
	flag.Parse()

	name := *input
	if name == "" && flag.NArg() > 0 {
		name = flag.Arg(flag.NArg() - 1)
	}
	text, err := readTemplate(name)
	if err != nil {
		fail(err)
	}

	out := os.Stdout
	if *output != "" {
		// The result file exists, empty, even where the evaluation fails.
		if out, err = os.Create(*output); err != nil {
			fail(err)
		}
	}

	nodes, err := parse(text, *noDigit)
	if err != nil {
		fail(err)
	}
	ev := evaluator{
		lookup:   os.LookupEnv,
		noUnset:  *noUnset,
		noEmpty:  *noEmpty,
		failFast: *failFast,
	}
	result := ev.evaluate(nodes)
	if len(ev.failures) > 0 {
		fail(ev.failures...)
	}
	if _, err := io.WriteString(out, result); err != nil {
		fail(err)
	}
	if err := out.Close(); err != nil {
		fail(err)
	}
}

// readTemplate returns the contents of the named file, or of standard input
// where the name is empty.
func readTemplate(name string) (string, error) {
	var data []byte
	var err error
	if name == "" {
		data, err = io.ReadAll(os.Stdin)
	} else {
		data, err = os.ReadFile(name)
	}
	return string(data), err
}

// fail lists the errors on standard error, one a line, and ends the program.
func fail(errs ...error) {
	for _, err := range errs {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(1)
}
