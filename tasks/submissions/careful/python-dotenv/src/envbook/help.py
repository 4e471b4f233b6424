"""The texts of the help."""

WRITE = """\
Usage: envbook [OPTIONS] COMMAND [ARGS]...

  This script is used to set, get or unset values from a .env file.

Options:
  -f, --file PATH                 Location of the .env file, defaults to .env
                                  file in current working directory.
  -q, --quote [always|never|auto]
                                  Whether to quote or not the variable values.
                                  Default mode is always. This does not affect
                                  parsing.
  -e, --export BOOLEAN            Whether to write the dot file as an
                                  executable bash script.
  --version                       Show the version and exit.
  --help                          Show this message and exit.

Commands:
  get    Retrieve the value for the given key.
  list   Display all the stored key/value.
  run    Run command with environment variables present.
  set    Store the given key/value.
  unset  Removes the given key.
"""

GET = """\
Usage: envbook get [OPTIONS] KEY

  Retrieve the value for the given key.

Options:
  --help  Show this message and exit.
"""

LIST = """\
Usage: envbook list [OPTIONS]

  Display all the stored key/value.

Options:
  --format [simple|json|shell|export]
                                  The format in which to display the list.
                                  Default format is simple, which displays
                                  name=value without quotes.
  --help                          Show this message and exit.
"""

SET = """\
Usage: envbook set [OPTIONS] KEY VALUE

  Store the given key/value.

  This doesn't follow symlinks, to avoid accidentally modifying a file at a
  potentially untrusted path.

Options:
  --help  Show this message and exit.
"""

UNSET = """\
Usage: envbook unset [OPTIONS] KEY

  Removes the given key.

  This doesn't follow symlinks, to avoid accidentally modifying a file at a
  potentially untrusted path.

Options:
  --help  Show this message and exit.
"""

RUN = """\
Usage: envbook run [OPTIONS] [COMMANDLINE]...

  Run command with environment variables present.

Options:
  --override / --no-override  Override variables from the environment file
                              with those from the .env file.
  --help                      Show this message and exit.
"""
