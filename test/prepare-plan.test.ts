import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Machine, type Seen, toSteps, toVerdict } from './prepare-plan.ts'

const broker: Seen = {
  name: 'a broker',
  suites: 'the queue',
  lentBy: 'BROKER_URL',
  from: { kind: 'tools' },
  isThere: true,
  isLent: false,
}
const database: Seen = {
  name: 'a database',
  suites: 'the index',
  lentBy: 'DATABASE_URL',
  from: { kind: 'debian', packages: ['postgresql'] },
  isThere: true,
  isLent: false,
}
const debian: Machine = { platform: 'linux-x64', hasStaleTools: false, isDebian: true, isRoot: true }
const away = { isThere: false }

describe('what is done before the tests', () => {
  test('is nothing when all is there', () => assert.deepEqual(toSteps([broker, database], debian), []))

  test('is to install the tools when they are missing or old, where there are any for the machine', () => {
    const stale = { ...debian, hasStaleTools: true }
    assert.deepEqual(toSteps([broker, database], stale), [{ kind: 'tools' }])
    assert.deepEqual(toSteps([broker, database], { ...stale, platform: 'darwin-arm64' }), [])
    assert.deepEqual(toSteps([database], stale), [], 'nobody needs them')
  })

  test('is to install the packages that are missing, all at once, on Debian and as root', () => {
    const cache: Seen = { ...database, from: { kind: 'debian', packages: ['redis-server'] } }
    const needs = [broker, { ...database, ...away }, { ...cache, ...away }]
    assert.deepEqual(toSteps(needs, debian), [{ kind: 'debian', packages: ['postgresql', 'redis-server'] }])
    assert.deepEqual(toSteps(needs, { ...debian, isRoot: false }), [])
    assert.deepEqual(toSteps(needs, { ...debian, isDebian: false }), [])
  })

  test('is nothing for what somebody lends', () => {
    assert.deepEqual(toSteps([{ ...database, ...away, isLent: true }], debian), [])
  })
})

describe('what is said before the tests', () => {
  test('is nothing when all is there or lent', () => {
    const verdict = toVerdict([broker, { ...database, ...away, isLent: true }], true)
    assert.deepEqual(verdict, { exitCode: 0, lines: [] })
  })

  test('is what will be skipped, why, and what to do about it', () => {
    const { exitCode, lines } = toVerdict([broker, { ...database, ...away }], false)
    assert.equal(exitCode, 0)
    assert.deepEqual(lines, [
      'SKIPPED: a database is not to be had, and the index cannot be tested without; install postgresql, or name one that runs in DATABASE_URL',
    ])
  })

  test('is a failure in CI', () => {
    const { exitCode, lines } = toVerdict([{ ...broker, ...away }, database], true)
    assert.equal(exitCode, 1)
    assert.match(lines.join(), /^FAILED: a broker is not to be had.*put it on the PATH/)
  })
})
