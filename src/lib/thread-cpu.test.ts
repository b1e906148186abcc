import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cpuMillisOf, ownThreadId } from './thread-cpu.ts'

const isLinux = process.platform === 'linux'

test('the CPU time of a thread grows while it works', { skip: !isLinux }, () => {
  const id = ownThreadId()
  assert.ok(id !== undefined)
  const before = cpuMillisOf(id) ?? Number.NaN
  const { user, system } = process.threadCpuUsage()
  const until = (user + system) / 1000 + 100
  for (let used = 0; used < until; ) {
    const now = process.threadCpuUsage()
    used = (now.user + now.system) / 1000
  }
  const grown = (cpuMillisOf(id) ?? Number.NaN) - before
  assert.ok(grown >= 80 && grown <= 150, `${grown} ms`)
})

test('nothing is known of a thread that does not exist', () => {
  assert.equal(cpuMillisOf(2 ** 30), undefined)
})
