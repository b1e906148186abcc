import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Machine, type NeedStatus, toSteps, toVerdict } from './prepare-plan.ts'

const broker: NeedStatus = {
  name: 'a broker',
  suites: 'the queue',
  urlVariable: 'BROKER_URL',
  from: { kind: 'tools' },
  isInstalled: true,
  isExternal: false,
}
const database: NeedStatus = {
  name: 'a database',
  suites: 'the index',
  urlVariable: 'DATABASE_URL',
  from: { kind: 'debian', packages: ['postgresql'] },
  isInstalled: true,
  isExternal: false,
}
const debian: Machine = { platform: 'linux-x64', hasStaleTools: false, isDebian: true, isRoot: true }
const missing = { isInstalled: false }

describe('the steps before the tests', () => {
  test('are empty if nothing is missing', () => assert.deepEqual(toSteps([broker, database], debian), []))

  test('install the tools if they are missing or outdated and available for the platform', () => {
    const stale = { ...debian, hasStaleTools: true }
    assert.deepEqual(toSteps([broker, database], stale), [{ kind: 'tools' }])
    assert.deepEqual(toSteps([broker, database], { ...stale, platform: 'darwin-arm64' }), [])
    assert.deepEqual(toSteps([database], stale), [], 'no suite needs them')
  })

  test('install all missing packages at once on Debian as root', () => {
    const cache: NeedStatus = { ...database, from: { kind: 'debian', packages: ['redis-server'] } }
    const needs = [broker, { ...database, ...missing }, { ...cache, ...missing }]
    assert.deepEqual(toSteps(needs, debian), [{ kind: 'debian', packages: ['postgresql', 'redis-server'] }])
    assert.deepEqual(toSteps(needs, { ...debian, isRoot: false }), [])
    assert.deepEqual(toSteps(needs, { ...debian, isDebian: false }), [])
  })

  test('install nothing for an external server', () => {
    assert.deepEqual(toSteps([{ ...database, ...missing, isExternal: true }], debian), [])
  })
})

describe('the report before the tests', () => {
  test('is empty if everything is installed or external', () => {
    const verdict = toVerdict([broker, { ...database, ...missing, isExternal: true }], true)
    assert.deepEqual(verdict, { exitCode: 0, lines: [] })
  })

  test('lists what is skipped, why, and how to fix it', () => {
    const { exitCode, lines } = toVerdict([broker, { ...database, ...missing }], false)
    assert.equal(exitCode, 0)
    assert.deepEqual(lines, [
      'SKIPPED: a database is not available, so the index cannot be tested; install postgresql, or set DATABASE_URL',
    ])
  })

  test('is a failure in CI', () => {
    const { exitCode, lines } = toVerdict([{ ...broker, ...missing }, database], true)
    assert.equal(exitCode, 1)
    assert.match(lines.join(), /^FAILED: a broker is not available.*put it on the PATH/)
  })
})
