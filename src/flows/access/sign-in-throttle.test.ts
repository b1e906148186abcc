import assert from 'node:assert/strict'
import { test } from 'node:test'
import { instant, later, type Millis, seconds } from '../../lib/time.ts'
import { TooManyAttempts } from '../errors.ts'
import { openSignInThrottle, toClientKey } from './sign-in-throttle.ts'

function openWorld() {
  let now = instant(1_000_000_000)
  const throttle = openSignInThrottle(() => now)
  return {
    throttle,
    /** Fails once; returns how long the attempt has to wait instead, in seconds. */
    fail: (email: string, client = '192.0.2.1'): number => {
      try {
        throttle({ email, client })
        return 0
      } catch (error) {
        assert.ok(error instanceof TooManyAttempts)
        return error.retryAfter / 1_000
      }
    },
    pass: (by: Millis): void => {
      now = later(now, by)
    },
  }
}

const times = (count: number, act: (index: number) => number): readonly number[] =>
  Array.from({ length: count }, (_, index) => act(index))

test('attempts for one address wait longer and longer, from whatever client', () => {
  const { fail, pass } = openWorld()
  assert.deepEqual(
    times(7, (index) => fail('ana@example.com', `192.0.2.${index}`)),
    [0, 0, 0, 0, 0, 1, 1],
  )
  pass(seconds(1))
  assert.deepEqual([fail('ana@example.com'), fail('ana@example.com'), fail('bob@example.com')], [0, 2, 0])
})

test('attempts of one client wait too, for whatever address', () => {
  const { fail } = openWorld()
  assert.deepEqual(
    times(22, (index) => fail(`user-${index}@example.com`)),
    [...Array<number>(20).fill(0), 1, 1],
  )
  assert.equal(fail('user-1@example.com', '192.0.2.2'), 0)
})

test('attempts that are not decided yet count', () => {
  const { throttle, fail } = openWorld()
  const attempts = Array.from({ length: 5 }, () => throttle({ email: 'ana@example.com', client: '192.0.2.1' }))
  assert.equal(fail('ana@example.com'), 1)
  for (const attempt of attempts) attempt.withdraw()
  assert.equal(fail('ana@example.com'), 0)
})

test('success clears the address, and gives the client only that attempt back', () => {
  const { throttle, fail } = openWorld()
  times(4, () => fail('ana@example.com'))
  throttle({ email: 'ana@example.com', client: '192.0.2.1' }).succeed()
  assert.deepEqual(
    times(6, () => fail('ana@example.com', '192.0.2.9')),
    [0, 0, 0, 0, 0, 1],
  )
  assert.deepEqual(
    times(17, (index) => fail(`user-${index}@example.com`)),
    [...Array<number>(16).fill(0), 1],
  )
})

test('failures are forgotten after an hour without any', () => {
  const { fail, pass } = openWorld()
  times(5, () => fail('ana@example.com'))
  pass(seconds(3_600))
  assert.deepEqual(
    times(6, () => fail('ana@example.com')),
    [0, 0, 0, 0, 0, 1],
  )
})

test('the addresses of an IPv6 subscriber are one client', () => {
  assert.equal(toClientKey('192.0.2.1'), '192.0.2.1')
  assert.equal(toClientKey('::ffff:192.0.2.1'), '::ffff:192.0.2.1')
  assert.equal(toClientKey('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2')
  assert.equal(toClientKey('2001:db8:1:2::6'), '2001:db8:1:2')
  assert.equal(toClientKey('2001:db8::6'), '2001:db8:0:0')
  assert.equal(toClientKey('::1'), '0:0:0:0')
})
