#!/usr/bin/env node
'use strict';

const { main } = require('../lib/main.js');

process.exitCode = main(process.argv.slice(2));
