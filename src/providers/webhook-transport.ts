/** POSTs webhook deliveries to customers through the address guard. Only the head of an answer matters; its body is for people. */
import { toKeptBody, toKeptHeaders } from '../domain/webhooks/kept-text.ts'
import type { Clock } from '../lib/clock.ts'
import { type Instant, instant } from '../lib/time.ts'
import type { WebhookTransport } from '../ports/webhook-transport.ts'
import { addressGuard, type Resolve } from './address-guard.ts'
import { describeReason, type HttpFailure, openHttp, retryAfterOf } from './http.ts'

export type WebhookTransportOptions = Readonly<{
  /** Private networks that may be called, as returned by `parseNetworks`. */
  allowed: readonly string[]
  resolve?: Resolve
  clock?: Clock
}>

const BODY_LIMIT = 64 * 1024
const wallClock = (): Instant => instant(Date.now())

export function openWebhookTransport(options: WebhookTransportOptions): WebhookTransport & Disposable {
  const { allowed, resolve, clock = wallClock } = options
  const guard = addressGuard(allowed, resolve)
  const http = openHttp({ bodyLimit: BODY_LIMIT, truncateBodies: true, lookup: guard.lookup })
  return {
    async post({ url, headers, body }, signal) {
      const reason = guard.refusalOf(url)
      if (reason !== undefined) return { kind: 'refused', reason }

      const result = await http.send({ method: 'POST', url, headers, body }, signal)
      if (result.kind !== 'answered') return toFailure(result)
      const kept = { headers: toKeptHeaders(result.headers), body: toKeptBody(result.body) }
      return { kind: 'answered', status: result.status, retryAfter: retryAfterOf(result, clock()), ...kept }
    },
    [Symbol.dispose]: () => http[Symbol.dispose](),
  }
}

const toFailure = ({ reason }: HttpFailure) =>
  ({ kind: reason === 'ADDRESS_REFUSED' ? 'refused' : 'unreachable', reason: describeReason(reason) }) as const
