import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { MessageId } from '../ids.ts'
import { parseSid, toSid } from './sids.ts'

test('a sid has 34 characters and leads back to its message', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.constantFrom('SM', 'VE'), (uuid, kind) => {
      const sid = toSid(kind, uuid as MessageId)
      assert.match(sid, /^(SM|VE)[0-9a-f]{32}$/)
      assert.equal(parseSid(kind, sid), uuid)
      assert.equal(parseSid(kind, `${kind}${sid.slice(2).toUpperCase()}`), uuid)
      assert.equal(parseSid(kind === 'SM' ? 'VE' : 'SM', sid), undefined)
    }),
  )
})

test('anything else is no sid', () => {
  const sid = toSid('SM', '3f1c9f0e-5f0a-8c6e-9d57-0b6f0a3c2e11' as MessageId)
  for (const text of ['', sid.slice(1), `${sid}0`, sid.replace('3f', 'zz'), `MM${sid.slice(2)}`, `${sid}.json`]) {
    assert.equal(parseSid('SM', text), undefined, text)
  }
})
