import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { freePort } from '../../../test/support/free-port.ts'
import { skipUnavailable } from '../../../test/support/skip.ts'
import { missingUnbound, openDnsServer } from '../../../test/support/unbound.ts'
import { openDnsLookup } from './dns-lookup.ts'

const missing = missingUnbound()
const NAME = 'records.acme.example'

describe('DNS lookups', { timeout: 60_000 }, () => {
  test('find all TXT records of a name, each in one piece', async (t) => {
    if (missing !== undefined) return skipUnavailable(t, missing)
    await using server = await openDnsServer()
    const lookup = openDnsLookup({ servers: [server.address] })
    const long = `v=DKIM1; k=rsa; p=${'A'.repeat(700)}`
    await server.publish(NAME, 'one', long)
    const answer = await lookup.txt(NAME)
    assert.equal(answer.kind, 'found')
    assert.deepEqual(answer.kind === 'found' && answer.values.toSorted(), ['one', long])
  })

  test('tell a name without records from a server without an answer', async (t) => {
    if (missing !== undefined) return skipUnavailable(t, missing)
    await using server = await openDnsServer()
    const lookup = openDnsLookup({ servers: [server.address] })
    await server.publish(NAME, 'one')
    for (const absent of ['nobody.acme.example', 'acme.example']) {
      assert.deepEqual(await lookup.txt(absent), { kind: 'absent' })
    }
    await server.refuse('refused.example')
    assert.deepEqual(await lookup.txt('refused.example'), { kind: 'unavailable', reason: 'EREFUSED' })
  })

  test('see a change at once', async (t) => {
    if (missing !== undefined) return skipUnavailable(t, missing)
    await using server = await openDnsServer()
    const lookup = openDnsLookup({ servers: [server.address] })
    await server.publish(NAME, 'one')
    assert.equal((await lookup.txt(NAME)).kind, 'found')
    await server.withdraw(NAME)
    assert.deepEqual(await lookup.txt(NAME), { kind: 'absent' })
  })

  test('end in time when a server does not answer, and ask the next one', async (t) => {
    if (missing !== undefined) return skipUnavailable(t, missing)
    await using silent = await openDnsServer()
    await using server = await openDnsServer()
    await server.publish(NAME, 'one')
    silent.freeze()
    const alone = await openDnsLookup({ servers: [silent.address], timeoutMs: 100 }).txt(NAME)
    assert.deepEqual(alone, { kind: 'unavailable', reason: 'ETIMEOUT' })
    const cancelled = await openDnsLookup({ servers: [silent.address], deadlineMs: 100 }).txt(NAME)
    assert.deepEqual(cancelled, { kind: 'unavailable', reason: 'ECANCELLED' })
    const both = await openDnsLookup({ servers: [silent.address, server.address], timeoutMs: 100 }).txt(NAME)
    assert.deepEqual(both, { kind: 'found', values: ['one'] })
    silent.thaw()
  })

  test('have no answer where nobody listens', async () => {
    const lookup = openDnsLookup({ servers: [`127.0.0.1:${await freePort()}`], timeoutMs: 200 })
    const answer = await lookup.txt(NAME)
    assert.equal(answer.kind, 'unavailable')
  })
})
