import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Instant, instant, millis } from '../../lib/time.ts'
import { type Session, Sessions } from './sessions.ts'

function openSessions() {
  let now = 0
  const closed: string[] = []
  const sessions = new Sessions(() => instant(now) as Instant, { sessions: 4, perOwner: 2, idle: millis(100) })
  return {
    sessions,
    closed,
    pass: (ms: number) => {
      now += ms
    },
    async open(id: string, owner: string): Promise<boolean> {
      if (!(await sessions.makeRoom(owner))) return false
      const server = { close: async () => closed.push(id) }
      sessions.add(id, { owner, server, transport: {} } as unknown as Session)
      return true
    },
  }
}

describe('sessions', () => {
  test('are found by nobody but their owner', async () => {
    const { sessions, open } = openSessions()
    await open('a', 'one')
    assert.equal(sessions.find('a', 'one')?.owner, 'one')
    assert.equal(sessions.find('a', 'other'), undefined)
    assert.equal(sessions.find('b', 'one'), undefined)
  })

  test('make room: an owner with too many loses the one not used for longest', async () => {
    const { sessions, open, closed } = openSessions()
    await open('a', 'one')
    await open('b', 'one')
    sessions.find('a', 'one')
    assert.equal(await open('c', 'one'), true)
    assert.deepEqual(closed, ['b'])
  })

  test('are bounded in all, and those not used for long make room', async () => {
    const { sessions, open, closed, pass } = openSessions()
    for (const id of ['a', 'b', 'c', 'd']) await open(id, id)
    assert.equal(await open('e', 'e'), false)
    pass(60)
    sessions.find('d', 'd')
    pass(60)
    assert.equal(await open('e', 'e'), true)
    assert.deepEqual([closed, sessions.size], [['a', 'b', 'c'], 2])
    await sessions.close()
    assert.deepEqual([closed.length, sessions.size], [5, 0])
  })
})
