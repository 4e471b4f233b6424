package main

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

const apache = `Copyright {{.Year}} {{.Holder}}

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.`

const bsd = `Copyright (c) {{.Year}} {{.Holder}} All rights reserved.
Use of this source code is governed by a BSD-style
license that can be found in the LICENSE file.`

const mit = `Copyright (c) {{.Year}} {{.Holder}}

Permission is hereby granted, free of charge, to any person obtaining a copy of
this software and associated documentation files (the "Software"), to deal in
the Software without restriction, including without limitation the rights to
use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of
the Software, and to permit persons to whom the Software is furnished to do so,
subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS
FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER
IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN
CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`

const mpl = `This Source Code Form is subject to the terms of the Mozilla Public
License, v. 2.0. If a copy of the MPL was not distributed with this
file, You can obtain one at https://mozilla.org/MPL/2.0/.`

type list []string

func (l *list) String() string     { return strings.Join(*l, " ") }
func (l *list) Set(s string) error { *l = append(*l, s); return nil }

type spdxFlag string

func (s *spdxFlag) String() string     { return string(*s) }
func (s *spdxFlag) Set(v string) error { *s = spdxFlag(v); return nil }
func (s *spdxFlag) IsBoolFlag() bool   { return true }

func style(path string) (string, string, string) {
	base := strings.ToLower(filepath.Base(path))
	if base == "dockerfile" || base == "cmakelists.txt" {
		return "", "# ", ""
	}
	switch strings.TrimPrefix(filepath.Ext(base), ".") {
	case "c", "h", "java", "scala", "kt", "kts":
		return "/*", " * ", " */"
	case "js", "mjs", "cjs", "jsx", "ts", "tsx", "css", "scss", "sass":
		return "/**", " * ", " */"
	case "go", "cc", "cpp", "hh", "hpp", "cs", "rs", "swift", "dart", "proto", "php", "m", "mm", "groovy", "v", "sv":
		return "", "// ", ""
	case "py", "sh", "bash", "yaml", "yml", "rb", "dockerfile", "tf", "cmake", "pl", "toml", "bzl":
		return "", "# ", ""
	case "el", "lisp":
		return "", ";; ", ""
	case "erl":
		return "", "% ", ""
	case "hs", "sql", "lua":
		return "", "-- ", ""
	case "html", "xml", "htm", "vue":
		return "<!--", " ", "-->"
	case "ml", "mli":
		return "(**", "   ", "*)"
	}
	return "", "", ""
}

var generated = regexp.MustCompile(`(?m)^.{1,2} Code generated .* DO NOT EDIT\.$`)

func glob(pattern, path string) bool {
	re := regexp.QuoteMeta(pattern)
	re = strings.ReplaceAll(re, `\*\*/`, `(.*/)?`)
	re = strings.ReplaceAll(re, `\*\*`, `.*`)
	re = strings.ReplaceAll(re, `\*`, `[^/]*`)
	re = strings.ReplaceAll(re, `\?`, `[^/]`)
	return regexp.MustCompile("^" + re + "$").MatchString(path)
}

func main() {
	holder := flag.String("c", "Google LLC", "")
	check := flag.Bool("check", false, "")
	file := flag.String("f", "", "")
	lic := flag.String("l", "apache", "")
	verbose := flag.Bool("v", false, "")
	year := flag.String("y", "2026", "")
	var ignore, skip list
	var spdx spdxFlag
	flag.Var(&ignore, "ignore", "")
	flag.Var(&skip, "skip", "")
	flag.Var(&spdx, "s", "")
	flag.Parse()
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(1)
	}
	for _, s := range skip {
		ignore = append(ignore, "**/*."+s)
	}
	text, id := "", *lic
	switch *lic {
	case "apache", "Apache-2.0":
		text, id = apache, "Apache-2.0"
	case "bsd", "BSD-3-Clause":
		text, id = bsd, "BSD-3-Clause"
	case "mit", "MIT":
		text, id = mit, "MIT"
	case "mpl", "MPL-2.0":
		text, id = mpl, "MPL-2.0"
	default:
		if spdx == "" {
			fmt.Fprintln(os.Stderr, "unknown license:", *lic)
			os.Exit(1)
		}
		spdx = "only"
	}
	if *file != "" {
		b, err := os.ReadFile(*file)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		text = string(b)
	}
	if spdx == "only" {
		text = "Copyright {{.Year}} {{.Holder}}\nSPDX-License-Identifier: " + id
	} else if spdx == "true" {
		text += "\n\nSPDX-License-Identifier: " + id
	}
	text = strings.NewReplacer("{{.Year}}", *year, "{{.Holder}}", *holder).Replace(text)
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
			for _, p := range ignore {
				if glob(p, path) {
					return nil
				}
			}
			top, mid, bottom := style(path)
			if mid == "" {
				return nil
			}
			data, _ := os.ReadFile(path)
			head := strings.ToLower(string(data[:min(len(data), 1000)]))
			if strings.Contains(head, "copyright") || strings.Contains(head, "mozilla public") || strings.Contains(head, "spdx-license-identifier") || generated.Match(data) {
				return nil
			}
			if *check {
				fmt.Println(path)
				status = 1
				return nil
			}
			var b bytes.Buffer
			first, rest, _ := bytes.Cut(data, []byte("\n"))
			low := strings.ToLower(string(first))
			for _, p := range []string{"#!", "<?xml", "<!doctype", "# encoding:", "# -*- coding", "<?php"} {
				if strings.HasPrefix(low, p) {
					b.Write(first)
					b.WriteString("\n")
					data = rest
					break
				}
			}
			if top != "" {
				b.WriteString(top + "\n")
			}
			for _, l := range strings.Split(text, "\n") {
				b.WriteString(strings.TrimRight(mid+l, " ") + "\n")
			}
			if bottom != "" {
				b.WriteString(bottom + "\n")
			}
			b.WriteString("\n")
			b.Write(data)
			info, _ := d.Info()
			os.WriteFile(path, b.Bytes(), info.Mode())
			if *verbose {
				fmt.Fprintln(os.Stderr, path, "modified")
			}
			return nil
		})
	}
	os.Exit(status)
}
