import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '../../lib/clock.ts'
import { engineContract } from '../../ports/engine.contract.ts'
import { erasuresContract } from '../../ports/erasures.contract.ts'
import { eventFeedContract } from '../../ports/event-feed.contract.ts'
import { loggedIndex } from '../../ports/filled-index.contract.ts'
import { keyOf } from '../../ports/index-samples.contract.ts'
import { limitedSendsContract } from '../../ports/limited-sends.contract.ts'
import { messageIndexContract } from '../../ports/message-index.contract.ts'
import { partialMessagesContract } from '../../ports/partial-messages.contract.ts'
import { providerResultsContract } from '../../ports/provider-results.contract.ts'
import { raisedAlertsContract } from '../../ports/raised-alerts.contract.ts'
import { receiptDeliveriesContract } from '../../ports/receipt-deliveries.contract.ts'
import { retentionContract } from '../../ports/retention.contract.ts'
import { stopped } from '../../ports/samples.contract.ts'
import type { Sealer } from '../../ports/sealer.ts'
import { sinkPositionsContract } from '../../ports/sink-positions.contract.ts'
import { frameSealing } from '../crypto/frame-sealer.ts'
import { openSealer } from '../crypto/sealer.ts'
import { openLimitRules } from './limit-rules.ts'
import { openSqlite } from './sqlite.ts'

async function open(clock: Clock, blind?: Sealer['blind']) {
  const folder = mkdtempSync(join(tmpdir(), 'pombo-'))
  const masterKey = randomBytes(32)
  const sealer = openSealer(masterKey)
  const engine = await openSqlite({
    path: join(folder, 'pombo.db'),
    clock,
    sealer: { ...sealer, blind: blind ?? sealer.blind },
    sealing: frameSealing(masterKey),
    indexBodies: false,
  })
  return {
    ...engine,
    async [Symbol.asyncDispose]() {
      await engine[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true })
    },
  }
}

engineContract('sqlite', open)
eventFeedContract('sqlite', open)
messageIndexContract('sqlite', async () => loggedIndex(await open(stopped, (_, to) => keyOf(to))))
erasuresContract('sqlite', () => open(stopped))
sinkPositionsContract('sqlite', () => open(stopped), { alone: true })
receiptDeliveriesContract('sqlite', () => open(stopped))
partialMessagesContract('sqlite', () => open(stopped))
raisedAlertsContract('sqlite', () => open(stopped))
providerResultsContract('sqlite', () => open(stopped))
limitedSendsContract('sqlite', () => open(stopped))
retentionContract('sqlite', async () => {
  const engine = await open(stopped)
  const rules = await openLimitRules(engine.writer)
  return { ...engine, rules, catchUp: async () => undefined }
})
