/** Accepting messages: (a) with bare Fastify, (b) with Pombo, (d) in batches. */
import { type LoadPlan, type Measured, measure } from './measure.ts'
import { BATCH_ITEMS, SLOW_SECONDS, sendSlow, toBatch, toSms } from './messages.ts'
import type { Times } from './options.ts'
import type { Request } from './request.ts'
import { openBare, openGateway } from './server.ts'
import type { Target } from './target.ts'

const CONNECTIONS = 64
const BATCH_CONNECTIONS = 4
/** An open loop needs a free connection for every request; most of these are idle. */
const OPEN_CONNECTIONS = 256

/** The request of a load; every load has its own idempotency keys. */
export type ToRequest = (token: string) => Request

export const toClosedLoop = (
  { token }: Pick<Target, 'token'>,
  { seconds, warmUpSeconds }: Times,
  toRequest: ToRequest = toSms,
): LoadPlan => ({
  request: toRequest(token),
  connections: CONNECTIONS,
  pace: { kind: 'closed' },
  warmUpSeconds,
  seconds,
})

export const toOpenLoop = (
  { token }: Pick<Target, 'token'>,
  rate: number,
  { seconds, warmUpSeconds }: Times,
  toRequest: ToRequest = toSms,
): LoadPlan => ({
  request: toRequest(token),
  connections: OPEN_CONNECTIONS,
  pace: { kind: 'open', rate, arrivals: 'poisson' },
  warmUpSeconds,
  seconds,
})

export async function measureBare(times: Times): Promise<Measured> {
  await using server = await openBare()
  return await measure(server, toClosedLoop(server, times))
}

/** The gateway as users run it: it also sends, tracks and indexes messages meanwhile. */
export async function measureAccept(times: Times): Promise<Measured> {
  await using gateway = await openGateway({ tree: times.tree })
  return await measure(gateway, toClosedLoop(gateway, times))
}

/** Accepting alone: slow recipients occupy the only provider slot, so nothing is sent meanwhile. */
export async function measureAcceptAlone(times: Times): Promise<Measured> {
  await using gateway = await openGateway({ env: { POMBO_CONCURRENCY: '1' } })
  await sendSlow(gateway, Math.ceil((times.seconds + times.warmUpSeconds) / SLOW_SECONDS) + 2)
  return await measure(gateway, toClosedLoop(gateway, times))
}

export async function measureBatch(times: Times): Promise<Measured> {
  await using gateway = await openGateway({ tree: times.tree })
  return await measure(gateway, {
    ...toClosedLoop(gateway, times),
    request: toBatch(gateway.token),
    connections: BATCH_CONNECTIONS,
    messagesPerRequest: BATCH_ITEMS,
  })
}
