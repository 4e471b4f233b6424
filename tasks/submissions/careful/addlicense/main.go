// Command stamphead makes sure that source files begin with a licence header.
package main

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"text/template"
	"time"
)

const usage = `Usage: stamphead [flags] pattern [pattern ...]

The program ensures source code files have copyright license headers
by scanning directory patterns recursively.

It modifies all source files in place and avoids adding a license header
to any file that already has one.

The pattern argument can be provided multiple times, and may also refer
to single files.

Flags:

`

// stringList is a flag that may be repeated.
type stringList []string

func (l *stringList) String() string { return "" }

func (l *stringList) Set(s string) error {
	*l = append(*l, s)
	return nil
}

// spdxFlag is a flag that is given alone, or as -s=only.
type spdxFlag string

const (
	spdxOff  spdxFlag = ""
	spdxOn   spdxFlag = "true"
	spdxOnly spdxFlag = "only"
)

func (f *spdxFlag) IsBoolFlag() bool { return true }

func (f *spdxFlag) String() string { return string(*f) }

func (f *spdxFlag) Set(s string) error {
	if s == string(spdxOnly) {
		*f = spdxOnly
		return nil
	}
	on, err := strconv.ParseBool(s)
	if err != nil {
		return fmt.Errorf("want a boolean or %q", spdxOnly)
	}
	*f = spdxOff
	if on {
		*f = spdxOn
	}
	return nil
}

func main() {
	var (
		ignored, skipped stringList
		spdx             spdxFlag
	)
	year := strconv.Itoa(time.Now().Year())
	holder := flag.String("c", "Google LLC", "copyright holder")
	check := flag.Bool("check", false, "check only mode: verify presence of license headers and exit with non-zero code if missing")
	licenseFile := flag.String("f", "", "license file")
	flag.Var(&ignored, "ignore", "file patterns to ignore, for example: -ignore **/*.go -ignore vendor/**")
	license := flag.String("l", "apache", "license type: apache, bsd, mit, mpl")
	flag.Var(&spdx, "s", "Include SPDX identifier in license header. Set -s=only to only include SPDX identifier.")
	flag.Var(&skipped, "skip", "[deprecated: see -ignore] file extensions to skip, for example: -skip rb -skip go")
	verbose := flag.Bool("v", false, "verbose mode: print the name of the files that are modified or were skipped")
	flag.StringVar(&year, "y", year, "copyright year(s)")
	flag.Usage = printUsage
	flag.Parse()

	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(1)
	}
	for _, ext := range skipped {
		ignored = append(ignored, "**/*."+ext)
	}
	var globs []*glob
	for _, pattern := range ignored {
		g, err := compileGlob(pattern)
		if err != nil {
			fatal(err)
		}
		globs = append(globs, g)
	}
	text, err := templateText(*license, *licenseFile, spdx)
	if err != nil {
		fatal(err)
	}
	tmpl, err := template.New("header").Parse(text)
	if err != nil {
		fatal(err)
	}

	s := &stamper{
		tmpl:    tmpl,
		data:    headerData{Year: year, Holder: *holder, SPDXID: spdxID(*license)},
		ignored: globs,
		check:   *check,
		verbose: *verbose,
	}
	for _, root := range flag.Args() {
		s.walk(root)
	}
	if s.failed {
		os.Exit(1)
	}
}

func printUsage() {
	fmt.Fprint(os.Stderr, usage)
	flag.PrintDefaults()
}

func fatal(err error) {
	fmt.Fprintln(os.Stderr, "stamphead:", err)
	os.Exit(1)
}

// A stamper puts headers in front of files, or checks that they are there.
type stamper struct {
	tmpl    *template.Template
	data    headerData
	ignored []*glob
	check   bool
	verbose bool
	failed  bool // a file could not be handled, or lacks its header
}

// walk handles the file root, or all files in the folder root.
func (s *stamper) walk(root string) {
	filepath.Walk(root, func(path string, info fs.FileInfo, err error) error {
		if err != nil {
			// What can't be entered is left out.
			fmt.Fprintf(os.Stderr, "%s error: %v\n", path, err)
			return nil
		}
		if info.IsDir() {
			return nil
		}
		if s.isIgnored(path) {
			s.note("skipping", path)
			return nil
		}
		if err := s.file(path); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", path, err)
			s.failed = true
		}
		return nil
	})
}

func (s *stamper) isIgnored(path string) bool {
	for _, g := range s.ignored {
		if g.match(path) {
			return true
		}
	}
	return false
}

func (s *stamper) note(what, path string) {
	if s.verbose {
		fmt.Fprintf(os.Stderr, "%s: %s\n", what, path)
	}
}

// file handles one file.
func (s *stamper) file(path string) error {
	style := styleOf(path)
	if style == nil {
		s.note("skipping (unknown kind)", path)
		return nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		s.note("skipping (no regular file)", path)
		return nil
	}
	var header []byte
	if !s.check {
		if header, err = style.header(s.tmpl, s.data); err != nil {
			return err
		}
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if hasLicense(content) || isGenerated(content) {
		s.note("skipping", path)
		return nil
	}
	if s.check {
		fmt.Println(path)
		s.failed = true
		return nil
	}
	if err := os.WriteFile(path, stamped(content, header), info.Mode().Perm()); err != nil {
		return err
	}
	s.note("modified", path)
	return nil
}
