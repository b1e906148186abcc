/** (g): the cost of limits: (b) with two limits on every message, and the decisions of the limiter alone. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { JournalProgress } from '../src/engines/sqlite/journal/progress.ts'
import { openLimiter } from '../src/engines/sqlite/limiter.ts'
import type { StoreMethods } from '../src/engines/sqlite/store.ts'
import { openThread } from '../src/engines/sqlite/thread-driver.ts'
import { openClock } from '../src/lib/clock.ts'
import { instant } from '../src/lib/time.ts'
import type { StoreThreadData } from '../src/profiles/store-thread.ts'
import { toClosedLoop } from './accept.ts'
import { countDecisions, type Decisions, RECIPIENT_LIMIT, TENANT_LIMIT, WINDOW_SECONDS } from './decisions.ts'
import { type Measured, measure } from './measure.ts'
import { call, type Sender } from './messages.ts'
import type { Options, Times } from './options.ts'
import { openFolder } from './processes.ts'
import { openGateway } from './server.ts'
import { whole } from './verdict.ts'

export const formatDecisions = ({ fresh, known }: Decisions): string =>
  `${whole(fresh)}/s of new recipients, ${whole(known)}/s of known ones`

/** Limits that count every message and reject none. */
export async function setLimits(sender: Sender): Promise<void> {
  const set = (path: string, limit: number) =>
    call(sender, 'PUT', `/v1/limits/${path}`, { limit, window_seconds: WINDOW_SECONDS })
  await set('tenant/demo', TENANT_LIMIT)
  await set('recipient/*', RECIPIENT_LIMIT)
}

/** Fails if the limits did not count, because the result would be meaningless. */
export async function mustHaveCounted(sender: Sender): Promise<void> {
  const { used } = (await call(sender, 'GET', '/v1/limits/tenant/demo')) as { used: number }
  if (used === 0) throw new Error('the limits counted nothing')
}

export async function measureLimited(times: Times): Promise<Measured> {
  await using gateway = await openGateway({ tree: times.tree })
  await setLimits(gateway)
  const measured = await measure(gateway, toClosedLoop(gateway, times))
  await mustHaveCounted(gateway)
  return measured
}

/** With the store in its own thread, as in the gateway: it stores every count. */
export async function measureDecisions(options: Pick<Options, 'quick'>): Promise<Decisions> {
  using folder = openFolder()
  const data: StoreThreadData = {
    path: join(folder.path, 'pombo.db'),
    masterKey: randomBytes(32),
    indexBodies: false,
    clock: openClock(() => undefined).shared,
    progress: new JournalProgress().shared,
  }
  const script = new URL('../src/profiles/store-thread.ts', import.meta.url)
  await using store = await openThread<StoreMethods>(script, data)
  await using limiter = await openLimiter(store, () => instant(Date.now()))
  return await countDecisions(limiter, options)
}
