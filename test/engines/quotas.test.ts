/** The quota of waiting messages is exact on the embedded engine, whatever happens at once. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { DEFAULT_QUOTAS } from '../../src/domain/access/quotas.ts'
import type { MessageId, TenantId } from '../../src/domain/ids.ts'
import { openIds } from '../../src/engines/crypto/ids.ts'
import { openSqlite } from '../../src/engines/sqlite/sqlite.ts'
import { UNSEALED } from '../../src/engines/sqlite/store.fixture.ts'
import { SendQuotaExceeded } from '../../src/flows/errors.ts'
import { SUBMISSION, TRACE } from '../../src/flows/gateway.fixture.ts'
import { record, toSeen } from '../../src/flows/record.ts'
import { accept } from '../../src/flows/send/accept.ts'
import { resend } from '../../src/flows/send/resend.ts'
import { ATTEMPTED, DEAD, stopped } from '../../src/ports/samples.contract.ts'
import { QuotaWatch } from '../../src/workers/quota-watch.ts'

const TENANTS = ['north', 'south'] as TenantId[]

async function open(limit: number) {
  const folder = mkdtempSync(join(tmpdir(), 'pombo-quotas-'))
  const engine = await openSqlite({ path: join(folder, 'pombo.db'), clock: stopped, ...UNSEALED, indexBodies: false })
  const fail = (error: unknown) => assert.fail(String(error))
  const quotasOf = () => ({ ...DEFAULT_QUOTAS, waitingMessages: limit })
  const sendQuotas = new QuotaWatch({
    ...engine,
    quotasOf,
    clock: stopped,
    onReached: async () => undefined,
    onFault: fail,
  })
  return {
    ...engine,
    deps: { ...engine, sendQuotas, clock: stopped, ids: openIds() },
    async [Symbol.asyncDispose]() {
      await sendQuotas[Symbol.asyncDispose]()
      await engine[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true })
    },
  }
}

type Opened = Awaited<ReturnType<typeof open>>

/** The message, or undefined when there was no room for it. */
const send = ({ deps }: Opened, tenantId: TenantId, key: string): Promise<MessageId | undefined> =>
  accept(deps, { ...SUBMISSION, tenantId, idempotencyKey: key }).then(({ id }) => id, whenRefused)

function whenRefused(error: unknown): undefined {
  assert.ok(error instanceof SendQuotaExceeded)
  return undefined
}

/** Gives a waiting message up, as a worker does. */
async function giveUp({ deps, queue }: Opened): Promise<MessageId | undefined> {
  const [taken] = await queue.take(1, AbortSignal.timeout(10))
  if (taken === undefined) return undefined
  const latest = await deps.log.latest(taken.job.messageId)
  assert.ok(latest !== undefined)
  const attempted = await record(deps, toSeen(latest), ATTEMPTED)
  assert.ok(attempted.kind === 'recorded')
  await record(deps, attempted.seen, DEAD, { ends: taken })
  return taken.job.messageId
}

const action = fc.oneof(
  fc.record({ kind: fc.constant('send' as const), south: fc.boolean(), key: fc.nat({ max: 40 }) }),
  fc.record({ kind: fc.constant('giveUp' as const) }),
  fc.record({ kind: fc.constant('resend' as const), nth: fc.nat({ max: 40 }) }),
)
/** Everything in a group happens at once. */
const groups = fc.array(fc.array(action, { minLength: 1, maxLength: 25 }), { maxLength: 6 })

test('no tenant ever has more waiting messages than its quota, and each may use all of it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 12 }), groups, async (limit, all) => {
      await using opened = await open(limit)
      const { deps, usage } = opened
      const givenUp: MessageId[] = []
      for (const group of all) {
        await Promise.all(
          group.map(async (one) => {
            if (one.kind === 'send') await send(opened, TENANTS[Number(one.south)] as TenantId, `key ${one.key}`)
            else if (one.kind === 'giveUp') givenUp.push(...[await giveUp(opened)].filter((id) => id !== undefined))
            else await sendAgain(opened, givenUp[one.nth % Math.max(1, givenUp.length)])
            for (const tenantId of TENANTS) assert.ok((usage.waiting?.(tenantId) ?? 0) <= limit)
          }),
        )
      }
      for (const tenantId of TENANTS) {
        const room = limit - (usage.waiting?.(tenantId) ?? 0)
        const sent = Array.from({ length: limit + 3 }, (_, nth) => send(opened, tenantId, `more ${nth}`))
        assert.equal((await Promise.all(sent)).filter((id) => id !== undefined).length, room)
        assert.equal((await deps.usage.measure([tenantId])).get(tenantId)?.waiting, limit)
      }
    }),
    { numRuns: 40 },
  )
})

async function sendAgain({ deps }: Opened, id: MessageId | undefined): Promise<void> {
  const latest = id && (await deps.log.latest(id))
  if (id === undefined || latest === undefined) return
  const { tenantId } = latest.event.state
  await resend(deps, { tenantId, id, by: 'resend', traceId: TRACE }).catch((error: unknown) => {
    // Another resend was faster, or there is no room.
    if (!(error instanceof Error && 'code' in error && error.code === 'CONFLICT')) whenRefused(error)
  })
}
