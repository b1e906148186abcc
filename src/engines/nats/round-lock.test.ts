import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openEngine } from '../../../test/support/nats-engine.ts'
import { shareNats } from '../../../test/support/nats-server.ts'
import { later, seconds } from '../../lib/time.ts'
import { roundLockContract } from '../../ports/round-lock.contract.ts'
import { earlier, hours, REAL_TIME } from '../../ports/samples.contract.ts'

const { url } = await shareNats()

roundLockContract('nats', () => openEngine({ url }))

test('a process whose clock is ahead does not block the rounds of the others', async () => {
  await using engine = await openEngine({ url })
  const begin = (at = REAL_TIME.clock()) => engine.rounds.begin('some', at, earlier(at, seconds(4)))
  const began = REAL_TIME.clock()
  const fast = later(began, hours(1))
  assert.equal(await begin(fast), fast)
  assert.equal(await begin(later(began, seconds(2))), undefined)
  const last = await begin(later(began, seconds(30)))
  assert.ok(last !== undefined && last >= earlier(began, seconds(1)) && last <= REAL_TIME.clock())
})
