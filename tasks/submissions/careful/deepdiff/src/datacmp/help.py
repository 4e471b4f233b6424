"""The texts of the help."""

MAIN = """\
Usage: datacmp [OPTIONS] COMMAND [ARGS]...

  A simple command line tool.

Options:
  --help  Show this message and exit.

Commands:
  diff     Deep Diff Commandline
  extract  Deep Extract Commandline
  grep     Deep Grep Commandline
  patch    Deep Patch Commandline
"""

DIFF = """\
Usage: datacmp diff [OPTIONS] T1 T2

  Deep Diff Commandline

  Deep Difference of content in files. It can read csv, tsv, json, yaml, and
  toml files.

  T1 and T2 are the path to the files to be compared with each other.

Options:
  --cutoff-distance-for-pairs FLOAT
                                  [default: 0.3]
  --cutoff-intersection-for-pairs FLOAT
                                  [default: 0.7]
  --cache-size INTEGER            [default: 0]
  --cache-tuning-sample-size INTEGER
                                  [default: 0]
  --cache-purge-level INTEGER RANGE
                                  [default: 1; 0<=x<=2]
  --create-patch
  --exclude-paths TEXT
  --exclude-regex-paths TEXT
  --math-epsilon DECIMAL
  --get-deep-distance
  --group-by TEXT
  --ignore-order
  --ignore-string-type-changes
  --ignore-numeric-type-changes
  --ignore-type-subclasses
  --ignore-string-case
  --ignore-nan-inequality
  --include-private-variables
  --log-frequency-in-sec INTEGER  [default: 0]
  --max-passes INTEGER            [default: 10000000]
  --max_diffs INTEGER
  --threshold-to-diff-deeper FLOAT
  --number-format-notation [f|e]  [default: f]
  --progress-logger [info|error]  [default: info]
  --report-repetition
  --significant-digits INTEGER
  --truncate-datetime [second|minute|hour|day]
  --verbose-level INTEGER RANGE   [default: 1; 0<=x<=2]
  --view [tree|colored|colored_compact]
                                  [default: tree]
  --debug
  --help                          Show this message and exit.
"""

GREP = """\
Usage: datacmp grep [OPTIONS] ITEM PATH

  Deep Grep Commandline

  Grep through the contents of a file and find the path to the item. It can
  read csv, tsv, json, yaml, and toml files.

Options:
  -i, --ignore-case
  --exact-match
  --exclude-paths TEXT
  --exclude-regex-paths TEXT
  --verbose-level INTEGER RANGE  [default: 1; 0<=x<=2]
  --debug
  --help                         Show this message and exit.
"""

EXTRACT = """\
Usage: datacmp extract [OPTIONS] PATH_INSIDE PATH

  Deep Extract Commandline

  Extract an item from a file based on the path that is passed. It can read
  csv, tsv, json, yaml, and toml files.

Options:
  --debug
  --help   Show this message and exit.
"""

PATCH = """\
Usage: datacmp patch [OPTIONS] PATH DELTA_PATH

  Deep Patch Commandline

Options:
  --debug
  --help   Show this message and exit.
"""
