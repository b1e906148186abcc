import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openEngine } from '../../../test/support/nats-engine.ts'
import { shareNats } from '../../../test/support/nats-server.ts'
import type { SinkName } from '../../domain/ids.ts'
import { later, seconds } from '../../lib/time.ts'
import { hours, REAL_TIME } from '../../ports/samples.contract.ts'
import { sinkPositionsContract } from '../../ports/sink-positions.contract.ts'

const { url } = await shareNats()

sinkPositionsContract('nats', () => openEngine({ url }))

test('the claim of a process whose clock is ahead ends like any other', async () => {
  await using engine = await openEngine({ url })
  const { sinkPositions } = engine
  const now = REAL_TIME.clock()
  const claim = (owner: string, at = now) =>
    sinkPositions.claim({ sink: 'crm' as SinkName, owner, now: at, until: later(at, seconds(15)) })
  const position = await claim('fast', later(now, hours(1)))
  assert.equal(await claim('other', later(now, seconds(10))), undefined)
  assert.equal(await claim('other', later(now, seconds(30))), position)
})
