import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { readTreeSeconds } from './cpu.ts'

const skip = existsSync('/proc/self/stat') ? false : 'there is no /proc'

test('the CPU of a child counts for its parent, even after it has ended', { skip }, () => {
  const [before, own] = [readTreeSeconds(process.pid), process.cpuUsage()]
  execFileSync(process.execPath, ['-e', 'const until = Date.now() + 300; while (Date.now() < until);'])
  const { user, system } = process.cpuUsage(own)
  const used = readTreeSeconds(process.pid) - before
  assert.ok(used > (user + system) / 1e6 + 0.1, `${used} s`)
})

test('a process that does not exist has used nothing', () => {
  assert.equal(readTreeSeconds(2 ** 30), 0)
})
