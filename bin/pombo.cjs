#!/usr/bin/env node
'use strict'
const { existsSync } = require('node:fs')
const { join } = require('node:path')
const { runNode } = require('./node24.cjs')

/** A clone runs the sources. The package has JavaScript instead, because Node strips no types below node_modules. */
const [SOURCE, BUILT] = [join(__dirname, '../src/main.ts'), join(__dirname, '../dist/main.js')]

/**
 * Left alone, V8 lets garbage grow to hundreds of megabytes before it looks. And under load it may take the objects of
 * a request for long-lived ones: it then allocates them as old, everything that they point to becomes old as well, and
 * full collections take a third of the CPU.
 */
const MEMORY = ['--max-old-space-size=512', '--max-semi-space-size=16', '--no-allocation-site-pretenuring']

runNode([...MEMORY, existsSync(SOURCE) ? SOURCE : BUILT, ...process.argv.slice(2)])
