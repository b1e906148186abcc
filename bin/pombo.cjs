#!/usr/bin/env node
'use strict'
const { join } = require('node:path')
const { runNode } = require('./node24.cjs')

runNode([join(__dirname, '../src/main.ts'), ...process.argv.slice(2)])
