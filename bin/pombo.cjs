#!/usr/bin/env node
'use strict'
const { join } = require('node:path')
const { runNode } = require('./node24.cjs')

/** Left alone, V8 lets garbage grow to hundreds of megabytes before it looks. */
const MEMORY = ['--max-old-space-size=512', '--max-semi-space-size=16']

runNode([...MEMORY, join(__dirname, '../src/main.ts'), ...process.argv.slice(2)])
