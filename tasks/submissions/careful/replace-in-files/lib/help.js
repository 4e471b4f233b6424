'use strict';

module.exports = `
  Replace matching strings and regexes in files

  Usage
    $ subfiles <files…>

  Options
    --regex           Regex pattern to find  (Can be set multiple times)
    --string          String to find  (Can be set multiple times)
    --replacement     Replacement string  (Required when using --regex/--string)
    --ignore-case     Search case-insensitively
    --no-glob         Disable globbing
    --dry-run         Show what would be replaced without making changes

  Examples
    $ subfiles --string='horse' --regex='unicorn|rainbow' --replacement='🦄' foo.md
    $ subfiles --regex='v\\d+\\.\\d+\\.\\d+' --replacement=v$npm_package_version foo.css
    $ subfiles --string='blob' --replacement='blog' 'some/**/[gb]lob/*' '!some/glob/foo'
    $ subfiles --dry-run --string='old' --replacement='new' file.txt

  You can use the same replacement patterns as with \`String#replace()\`, like \`$&\`.

  When working with quotes in shell commands, escape them with backslashes:
    $ subfiles --string='\\"use strict\\";' --replacement='\\"use strict\\";\\nrequire(\\"module\\");' file.js

`;
