package main

import (
	"bytes"
	"regexp"
)

// headSize is how much of a file is searched for a licence.
const headSize = 1000

var licenseWords = [][]byte{
	[]byte("copyright"),
	[]byte("mozilla public"),
	[]byte("spdx-license-identifier"),
}

var generatedLine = regexp.MustCompile(`(?m)^\W*Code generated .* DO NOT EDIT\.\s*$`)

// First lines that have to stay first.
var (
	firstLines = [][]byte{
		[]byte("#!"),
		[]byte("<?xml"),
		[]byte("<!doctype"),
		[]byte("<?php"),
	}
	encodingComment = regexp.MustCompile(`^[ \t\f]*#.*coding[:=]`)
)

// hasLicense tells whether a file mentions a copyright or a licence within
// its first bytes.
func hasLicense(content []byte) bool {
	head := bytes.ToLower(content[:min(len(content), headSize)])
	for _, word := range licenseWords {
		if bytes.Contains(head, word) {
			return true
		}
	}
	return false
}

// isGenerated tells whether a file says that it is generated.
func isGenerated(content []byte) bool {
	return generatedLine.Match(content)
}

// stamped returns the content with the header in front of it, or behind a
// first line that must stay first.
func stamped(content, header []byte) []byte {
	first := firstLine(content)
	result := make([]byte, 0, len(content)+len(header)+1)
	result = append(result, first...)
	if len(first) > 0 && first[len(first)-1] != '\n' {
		result = append(result, '\n')
	}
	result = append(result, header...)
	return append(result, content[len(first):]...)
}

// firstLine returns the first line, with its end, if it must stay first.
func firstLine(content []byte) []byte {
	line := content
	if i := bytes.IndexByte(content, '\n'); i >= 0 {
		line = content[:i+1]
	}
	lower := bytes.ToLower(line)
	for _, prefix := range firstLines {
		if bytes.HasPrefix(lower, prefix) {
			return line
		}
	}
	if encodingComment.Match(lower) {
		return line
	}
	return nil
}
