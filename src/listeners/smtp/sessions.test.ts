import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SMTPServerSession } from 'smtp-server'
import { isPrivate, Sessions } from './sessions.ts'

const from = (remoteAddress: string): SMTPServerSession => ({ remoteAddress }) as SMTPServerSession

test('a password may come over TLS or from this machine, and from nowhere else', () => {
  for (const [secure, remoteAddress, expected] of [
    [false, '127.0.0.1', true],
    [false, '::1', true],
    [false, '10.0.0.7', false],
    [false, '127.0.0.1.evil.example', false],
    [false, '2001:db8::1', false],
    [true, '10.0.0.7', true],
  ] as const) {
    assert.equal(isPrivate({ secure, remoteAddress }), expected, remoteAddress)
  }
})

test('each address has so many connections, and an IPv6 network counts as one', () => {
  const sessions = new Sessions(2)
  const [one, two, three] = [from('10.0.0.1'), from('10.0.0.1'), from('10.0.0.1')]
  assert.deepEqual(
    [one, two, three].map((session) => sessions.open(session)),
    [true, true, false],
  )
  assert.equal(sessions.open(from('10.0.0.2')), true)
  // The library reports the end of a refused connection, too.
  sessions.close(three)
  assert.equal(sessions.open(from('10.0.0.1')), false)
  sessions.close(one)
  assert.equal(sessions.open(from('10.0.0.1')), true)
  const network = ['2001:db8::1', '2001:db8::2', '2001:db8::3']
  assert.deepEqual(
    network.map((address) => sessions.open(from(address))),
    [true, true, false],
  )
})
