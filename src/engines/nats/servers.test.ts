import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseServers, toDisplay } from './servers.ts'

test('an address names servers, with the default port if none is given', () => {
  assert.deepEqual(parseServers('nats://one, nats://two:4333,three:5'), {
    servers: ['one:4222', 'two:4333', 'three:5'],
  })
  assert.deepEqual(parseServers('nats://[::1]:4333'), { servers: ['[::1]:4333'] })
})

test('an address may carry credentials or a token, and ask for TLS', () => {
  assert.deepEqual(parseServers('nats://me:p%40ss@one:1,nats://me:p%40ss@two:2'), {
    servers: ['one:1', 'two:2'],
    user: 'me',
    pass: 'p@ss',
  })
  assert.deepEqual(parseServers('tls://token@one:1'), { servers: ['one:1'], token: 'token', tls: {} })
})

test('the displayed address has no credentials', () => {
  assert.equal(toDisplay('nats://me:secret@one:1,two'), 'one:1, two')
})
