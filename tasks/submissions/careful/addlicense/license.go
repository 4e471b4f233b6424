package main

import (
	"fmt"
	"os"
	"strings"
)

// A license has an SPDX identifier and the text of a header.
type license struct {
	id   string
	text string
}

var licenses = map[string]license{
	"apache": {"Apache-2.0", apacheText},
	"bsd":    {"BSD-3-Clause", bsdText},
	"mit":    {"MIT", mitText},
	"mpl":    {"MPL-2.0", mplText},
}

// spdxID returns the SPDX identifier of a licence; a name that is not known
// is taken for one.
func spdxID(name string) string {
	if l, ok := licenses[name]; ok {
		return l.id
	}
	return name
}

// templateText returns the text of the header's template.
func templateText(name, file string, spdx spdxFlag) (string, error) {
	if spdx == spdxOnly {
		return onlyText, nil
	}
	var text string
	if file != "" {
		data, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		text = string(data)
	} else if l, ok := licenses[name]; ok {
		text = l.text
	} else if spdx == spdxOn && name != "" {
		return onlyText, nil
	} else {
		return "", fmt.Errorf("unknown license: %q", name)
	}
	if spdx == spdxOn {
		text = strings.TrimRight(text, "\r\n") + spdxSuffix
	}
	return text, nil
}

const (
	spdxSuffix = "\n\nSPDX-License-Identifier: {{.SPDXID}}"

	years = "{{with .Year}}{{.}} {{end}}"

	onlyText = "Copyright " + years + `{{.Holder}}
SPDX-License-Identifier: {{.SPDXID}}`

	apacheText = "Copyright " + years + `{{.Holder}}

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.`

	bsdText = "Copyright (c) " + years + `{{.Holder}}

Redistribution and use in source and binary forms, with or without modification,
are permitted provided that the following conditions are met:

1. Redistributions of source code must retain the above copyright notice, this
list of conditions and the following disclaimer.

2. Redistributions in binary form must reproduce the above copyright notice,
this list of conditions and the following disclaimer in the documentation and/or
other materials provided with the distribution.

3. Neither the name of the copyright holder nor the names of its contributors
may be used to endorse or promote products derived from this software without
specific prior written permission.

THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS" AND
ANY EXPRESS OR IMPLIED WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE IMPLIED
WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE
DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT HOLDER OR CONTRIBUTORS BE LIABLE FOR
ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL DAMAGES
(INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES;
LOSS OF USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION) HOWEVER CAUSED AND ON
ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY, OR TORT
(INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE OF THIS
SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.`

	mitText = "Copyright (c) " + years + `{{.Holder}}

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

	mplText = `This Source Code Form is subject to the terms of the Mozilla Public
License, v. 2.0. If a copy of the MPL was not distributed with this
file, You can obtain one at https://mozilla.org/MPL/2.0/.`
)
