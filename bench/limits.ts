/** (g): what limits cost: the same as (b) with two limits on every message, and the limiter's decisions alone. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { openLimiter } from '../src/engines/sqlite/limiter.ts'
import type { StoreMethods } from '../src/engines/sqlite/store.ts'
import { openThread } from '../src/engines/sqlite/thread-driver.ts'
import { openClock } from '../src/lib/clock.ts'
import { instant } from '../src/lib/time.ts'
import type { StoreThreadData } from '../src/store-thread.ts'
import { toClosedLoop } from './accept.ts'
import { countDecisions, type Decisions, RECIPIENT_LIMIT, TENANT_LIMIT, WINDOW_SECONDS } from './decisions.ts'
import { type Measured, measure } from './measure.ts'
import { call, type Sender } from './messages.ts'
import type { Options } from './options.ts'
import { openFolder } from './processes.ts'
import { openGateway } from './server.ts'
import { whole } from './verdict.ts'

/** Under limits; without them it is (b). */
export type Limits = Readonly<{ limited: readonly Measured[]; decisions?: Decisions }>

export const tellDecisions = ({ fresh, known }: Decisions): string =>
  `${whole(fresh)}/s of new recipients, ${whole(known)}/s of known ones`

/** Limits that count every message and refuse none. */
export async function setLimits(sender: Sender): Promise<void> {
  const set = (path: string, limit: number) =>
    call(sender, 'PUT', `/v1/limits/${path}`, { limit, window_seconds: WINDOW_SECONDS })
  await set('tenant/demo', TENANT_LIMIT)
  await set('recipient/*', RECIPIENT_LIMIT)
}

/** A run whose messages were not counted would show limits that cost nothing. */
export async function mustHaveCounted(sender: Sender): Promise<void> {
  const { used } = (await call(sender, 'GET', '/v1/limits/tenant/demo')) as { used: number }
  if (used === 0) throw new Error('the limits counted nothing')
}

export async function measureLimited(times: Pick<Options, 'seconds' | 'warmUpSeconds'>): Promise<Measured> {
  await using gateway = await openGateway()
  await setLimits(gateway)
  const measured = await measure(gateway, toClosedLoop(gateway, times))
  await mustHaveCounted(gateway)
  return measured
}

/** With the store in its thread, as the gateway has it: it is told of every count. */
export async function measureDecisions(options: Pick<Options, 'quick'>): Promise<Decisions> {
  using folder = openFolder()
  const data: StoreThreadData = {
    path: join(folder.path, 'pombo.db'),
    masterKey: randomBytes(32),
    indexBodies: false,
    clock: openClock(() => undefined).shared,
  }
  const script = new URL('../src/store-thread.ts', import.meta.url)
  await using store = await openThread<StoreMethods>(script, data)
  await using limiter = await openLimiter(store, () => instant(Date.now()))
  return await countDecisions(limiter, options)
}
