import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { readTreeSeconds, toSplit } from './cpu.ts'

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

test('workers are named in the order they were started, with and without a profiler', () => {
  const threadOf = (tid: number, name: string, seconds = 0) => ({ tid, name, seconds })
  const threads = [threadOf(1, 'MainThread', 5), threadOf(2, 'V8Worker', 1), threadOf(5, 'WorkerThread', 2)]
  const profilers = [threadOf(3, 'v8:ProfEvntProc', 0.5), threadOf(6, 'v8:ProfEvntProc', 0.5)]
  const others = { main: 5, store: 2 }
  assert.deepEqual(toSplit([], threads, 1, ['store']), { ...others, 'V8 and libuv': 1 })
  const profiled = [...threads, ...profilers].toSorted((one, other) => one.tid - other.tid)
  assert.deepEqual(toSplit([], profiled, 1, ['store']), { ...others, 'V8 and libuv': 2 })
})
