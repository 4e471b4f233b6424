'use strict';

module.exports = `
📚 mdcut v1.6.1 - Markdown Tree Parser CLI

Usage: mdcut <command> <file> [options]

Commands:
  list <file>                   List all headings in the file
  extract <file> <heading>      Extract a specific section by heading text
  extract-all <file> [level]    Extract all sections at level (default: 2)
  explode <file> <output-dir>   Extract all level 2 sections and create index
  assemble <dir> <output-file>  Reassemble exploded document from directory
  tree <file>                   Show the document structure as a tree
  search <file> <selector>      Search using CSS-like selectors
  stats <file>                  Show document statistics
  toc <file>                    Generate table of contents
  check-links <file>            Verify that links are reachable
  version                       Show version information
  help                          Show this help message

Options:
  --output, -o <dir>            Output directory for extracted files
  --level, -l <number>          Heading level to work with
  --format, -f <json|text>      Output format (default: text)
  --max-level <number>          Maximum heading level for TOC (default: 3)
  --recursive, -r               Recursively check linked markdown files

Examples:
  mdcut list README.md
  mdcut extract README.md "Installation"
  mdcut extract-all README.md 2 --output ./sections
  mdcut explode README.md ./exploded
  mdcut assemble ./exploded reassembled.md
  mdcut tree README.md
  mdcut search README.md "heading[depth=2]"
  mdcut stats README.md
  mdcut toc README.md --max-level 2

For more information, visit: (address left out)

`;
