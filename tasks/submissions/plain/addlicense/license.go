package main

import (
	"fmt"
	"os"
	"strings"
	"text/template"
)

type licenseData struct {
	Year   string
	Holder string
	SPDXID string
}

const (
	copyrightLine = "Copyright {{.Year}} {{.Holder}}"
	spdxLine      = "SPDX-License-Identifier: {{.SPDXID}}"
)

// known maps the names of licenses to their SPDX identifiers.
var known = map[string]string{
	"apache":       "Apache-2.0",
	"apache-2.0":   "Apache-2.0",
	"bsd":          "BSD-3-Clause",
	"bsd-3-clause": "BSD-3-Clause",
	"mit":          "MIT",
	"mpl":          "MPL-2.0",
	"mpl-2.0":      "MPL-2.0",
}

var templates = map[string]string{
	"Apache-2.0":   apacheText,
	"BSD-3-Clause": bsdText,
	"MIT":          mitText,
	"MPL-2.0":      mplText,
}

// headerText returns the text of the header without any comment signs.
func headerText(license, file string, spdx spdxFlag, data licenseData) (string, error) {
	data.SPDXID = license
	if id, ok := known[strings.ToLower(license)]; ok {
		data.SPDXID = id
	}

	var text string
	switch {
	case file != "":
		b, err := os.ReadFile(file)
		if err != nil {
			return "", fmt.Errorf("license file: %v", err)
		}
		text = strings.TrimRight(string(b), "\r\n")
		if spdx != spdxOff {
			text += "\n\n" + spdxLine
		}
	case spdx == spdxOnly:
		text = copyrightLine + "\n" + spdxLine
	default:
		body, ok := templates[data.SPDXID]
		switch {
		case ok && spdx == spdxOn:
			text = body + "\n\n" + spdxLine
		case ok:
			text = body
		case spdx == spdxOn:
			text = copyrightLine + "\n" + spdxLine
		default:
			return "", fmt.Errorf("unknown license: %q. Include the '-s' flag to request SPDX style headers using this license", license)
		}
	}

	t, err := template.New("header").Parse(text)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	if err := t.Execute(&out, data); err != nil {
		return "", err
	}
	return strings.TrimRight(out.String(), "\n"), nil
}

const apacheText = copyrightLine + `

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.`

const bsdText = `Copyright (c) {{.Year}} {{.Holder}} All rights reserved.
Use of this source code is governed by a BSD-style
license that can be found in the LICENSE file.`

const mitText = `Copyright (c) {{.Year}} {{.Holder}}

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

const mplText = `This Source Code Form is subject to the terms of the Mozilla Public
License, v. 2.0. If a copy of the MPL was not distributed with this
file, You can obtain one at https://mozilla.org/MPL/2.0/.`
