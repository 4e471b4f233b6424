// Command stamphead ensures that source files begin with a license header.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

const usageText = `Usage: stamphead [flags] pattern [pattern ...]

The program ensures source code files have copyright license headers
by scanning directory patterns recursively.

It modifies all source files in place and avoids adding a license header
to any file that already has one.

The pattern argument can be provided multiple times, and may also refer
to single files.

Flags:

`

type stringList []string

func (l *stringList) String() string { return strings.Join(*l, ", ") }

func (l *stringList) Set(s string) error {
	*l = append(*l, s)
	return nil
}

// spdxFlag is a boolean flag that knows the additional value "only".
type spdxFlag string

const (
	spdxOff  spdxFlag = ""
	spdxOn   spdxFlag = "true"
	spdxOnly spdxFlag = "only"
)

func (f *spdxFlag) String() string { return string(*f) }

func (f *spdxFlag) IsBoolFlag() bool { return true }

func (f *spdxFlag) Set(s string) error {
	switch s {
	case "true":
		*f = spdxOn
	case "false":
		*f = spdxOff
	case "only":
		*f = spdxOnly
	default:
		return fmt.Errorf("%q is not true, false or only", s)
	}
	return nil
}

var (
	ignorePatterns, skipExtensions stringList
	spdx                           spdxFlag

	holder    = flag.String("c", "Google LLC", "copyright holder")
	license   = flag.String("l", "apache", "license type: apache, bsd, mit, mpl")
	licenseF  = flag.String("f", "", "license file")
	year      = flag.String("y", fmt.Sprint(time.Now().Year()), "copyright year(s)")
	verbose   = flag.Bool("v", false, "verbose mode: print the name of the files that are modified or were skipped")
	checkOnly = flag.Bool("check", false, "check only mode: verify presence of license headers and exit with non-zero code if missing")
)

func init() {
	flag.Usage = func() {
		fmt.Fprint(os.Stderr, usageText)
		flag.PrintDefaults()
	}
	flag.Var(&skipExtensions, "skip", "[deprecated: see -ignore] file extensions to skip, for example: -skip rb -skip go")
	flag.Var(&ignorePatterns, "ignore", "file patterns to ignore, for example: -ignore **/*.go -ignore vendor/**")
	flag.Var(&spdx, "s", "Include SPDX identifier in license header. Set -s=only to only include SPDX identifier.")
}

func main() {
	log.SetFlags(0)
	flag.Parse()
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(1)
	}

	for _, ext := range skipExtensions {
		ignorePatterns = append(ignorePatterns, "**/*."+ext)
	}
	var ignore []*regexp.Regexp
	for _, p := range ignorePatterns {
		re, err := compileGlob(p)
		if err != nil {
			log.Fatalf("-ignore pattern %q is not valid: %v", p, err)
		}
		ignore = append(ignore, re)
	}

	text, err := headerText(*license, *licenseF, spdx, licenseData{Year: *year, Holder: *holder})
	if err != nil {
		log.Fatal(err)
	}

	w := &worker{text: text, ignore: ignore}
	for _, pattern := range flag.Args() {
		w.walk(pattern)
	}
	if w.failed || w.missing {
		os.Exit(1)
	}
}

type worker struct {
	text    string
	ignore  []*regexp.Regexp
	missing bool // a header is missing in -check mode
	failed  bool
}

func (w *worker) walk(root string) {
	filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			log.Printf("%s: %v", path, err)
			return nil
		}
		if !d.Type().IsRegular() {
			return nil
		}
		if w.ignored(path) {
			if *verbose {
				log.Printf("skipping: %s", path)
			}
			return nil
		}
		if err := w.file(path); err != nil {
			log.Printf("%s: %v", path, err)
			w.failed = true
		}
		return nil
	})
}

func (w *worker) ignored(path string) bool {
	for _, re := range w.ignore {
		if re.MatchString(filepath.ToSlash(path)) {
			return true
		}
	}
	return false
}

func (w *worker) file(path string) error {
	st, ok := styleOf(path)
	if !ok {
		if *verbose {
			log.Printf("skipping: %s", path)
		}
		return nil
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if hasLicense(content) || isGenerated(content) {
		return nil
	}
	if *checkOnly {
		fmt.Println(path)
		w.missing = true
		return nil
	}

	var out bytes.Buffer
	first := firstLine(content)
	out.Write(first)
	if len(first) > 0 && first[len(first)-1] != '\n' {
		out.WriteByte('\n')
	}
	out.WriteString(st.format(w.text))
	out.Write(content[len(first):])
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, out.Bytes(), info.Mode().Perm()); err != nil {
		return err
	}
	if *verbose {
		log.Printf("%s modified", path)
	}
	return nil
}

var generated = regexp.MustCompile(`(?m)^.*Code generated .*DO NOT EDIT\.\s*$`)

func isGenerated(content []byte) bool { return generated.Match(content) }

func hasLicense(content []byte) bool {
	head := bytes.ToLower(content[:min(len(content), 1000)])
	for _, word := range []string{"copyright", "mozilla public", "spdx-license-identifier"} {
		if bytes.Contains(head, []byte(word)) {
			return true
		}
	}
	return false
}

// firstLine returns the first line of the content if it has to stay first.
func firstLine(content []byte) []byte {
	line := content
	if i := bytes.IndexByte(content, '\n'); i >= 0 {
		line = content[:i+1]
	}
	lower := strings.ToLower(string(line))
	for _, start := range []string{"#!", "<?xml", "<!doctype", "# encoding:", "# -*- coding", "# coding", "<?php"} {
		if strings.HasPrefix(lower, start) {
			return line
		}
	}
	return nil
}
