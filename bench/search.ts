/**
 * The latency of `GET /v1/messages` with each filter, and of the statistics, with 100,000 messages in the index:
 * `node bin/node24.cjs bench/search.ts`. The index is filled before the gateway starts; the log does not have these
 * messages, which makes no difference to a search.
 */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import type { TenantId } from '../src/domain/ids.ts'
import type { Fact } from '../src/domain/message/events.ts'
import { frameSealing } from '../src/engines/crypto/frame-sealer.ts'
import { openSealer } from '../src/engines/crypto/sealer.ts'
import { openSqlite } from '../src/engines/sqlite/sqlite.ts'
import { type Instant, instant, later, millis } from '../src/lib/time.ts'
import type { Position } from '../src/ports/event-log.ts'
import { type SampleProjection, someProjection } from '../src/ports/index-samples.contract.ts'
import { ACCEPTED, ATTEMPTED, DEAD, delivered, phone, unknownUntil } from '../src/ports/samples.contract.ts'
import { call } from './messages.ts'
import { openFolder } from './processes.ts'
import { openGateway } from './server.ts'
import { say } from './step.ts'
import { ms, whole } from './verdict.ts'

const MESSAGES = 100_000
const PAGE = 500
const ROUNDS = 9
const BAR_MS = 100
/** Ten per second, up to now. */
const APART = millis(100)
const TENANT = 'demo' as TenantId

const masterKey = new Uint8Array(32).fill(7)
const sealer = openSealer(masterKey)
const now = instant(Date.now())
const toOf = (n: number) => phone(`+5511${900_000_000 + (n % 5_000)}`)
const createdAt = (n: number): Instant => later(now, millis((n - MESSAGES) * APART))
const iso = (n: number): string => new Date(createdAt(n)).toISOString()

function factsOf(n: number): readonly Fact[] {
  if (n % 1_000 === 7) return [ATTEMPTED, DEAD]
  if (n % 1_000 === 8) return [ATTEMPTED, unknownUntil(now)]
  if (n > MESSAGES - 100) return []
  return [ATTEMPTED, { ...ACCEPTED, providerMessageId: nameOf(n) } as Fact, delivered()]
}

const names = new Map<number, string>()
function nameOf(n: number): string {
  const name = names.get(n) ?? randomUUID()
  names.set(n, name)
  return name
}

function someTold(n: number): SampleProjection {
  const to = toOf(n)
  const mail = n % 10 === 3 ? ({ channel: 'email', kind: 'email' } as const) : {}
  const message = {
    tenantId: TENANT,
    createdAt: createdAt(n),
    lane: n % 50 === 0 ? 'bulk' : 'transactional',
    ...mail,
  } as const
  const tags = n % 200 === 0 ? ['order', 'rare'] : ['order']
  const { searchable, ...rest } = someProjection(
    { message, facts: factsOf(n), pace: millis(40), content: { to, tags, metadata: { order: `A-${n}` } } },
    n,
  )
  return { ...rest, searchable: { ...searchable, toKey: sealer.blind(TENANT, to) } }
}

async function fill(folder: string): Promise<void> {
  await using engine = await openSqlite({
    path: join(folder, 'pombo.db'),
    clock: () => now,
    sealer,
    sealing: frameSealing(masterKey),
    indexBodies: false,
  })
  for (let n = 1; n <= MESSAGES; n += PAGE) {
    const page = Array.from({ length: PAGE }, (_, k) => someTold(n + k))
    await engine.index.apply(page, (n + PAGE - 1) as Position)
  }
}

const QUESTIONS = [
  '/v1/messages',
  '/v1/messages?limit=200',
  '/v1/messages?channel=email',
  '/v1/messages?status=delivered',
  '/v1/messages?status=failed',
  '/v1/messages?status=expired',
  '/v1/messages?handoff_state=queued',
  '/v1/messages?provider_state=complaint',
  '/v1/messages?provider=acme',
  '/v1/messages?provider=nobody',
  `/v1/messages?provider_message_id=${nameOf(1)}`,
  `/v1/messages?to=${encodeURIComponent(toOf(1))}`,
  '/v1/messages?tag=order',
  '/v1/messages?tag=rare',
  '/v1/messages?lane=otp',
  '/v1/messages?lane=bulk',
  `/v1/messages?created_from=${iso(500)}&created_to=${iso(600)}`,
  '/v1/messages?q=order',
  '/v1/messages?q=A-500',
  '/v1/messages?q=nothing+of+it',
  '/v1/messages?unknown=true',
  '/v1/messages?status=expired&tag=order&q=order',
  '/v1/dead-letters',
  '/v1/stats/errors',
  '/v1/stats/errors?dead=true',
]
/** Scans all messages of the period: reported, without a target. */
const FIGURES = '/v1/stats?bucket=600'

await using opened = new AsyncDisposableStack()
const folder = opened.use(openFolder()).path
const begun = performance.now()
await fill(folder)
say(`${whole(MESSAGES)} messages filed in ${whole(performance.now() - begun)} ms`)
const env = { POMBO_DATA_DIR: folder, POMBO_MASTER_KEY: Buffer.from(masterKey).toString('base64') }
const gateway = opened.use(await openGateway({ env }))

for (const path of [...QUESTIONS, FIGURES]) {
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const asked = performance.now()
    await call(gateway, 'GET', path)
    times.push(performance.now() - asked)
  }
  const median = times.toSorted((one, other) => one - other)[Math.floor(ROUNDS / 2)] ?? 0
  if (median > BAR_MS && path !== FIGURES) process.exitCode = 1
  say(`${ms(median).padStart(9)}  at most ${ms(Math.max(...times)).padStart(9)}  ${path}`)
}
