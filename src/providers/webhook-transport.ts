/** Carries webhook deliveries to customers by HTTP, past the guard of addresses. Of an answer only its head is of interest. */

import type { Clock } from '../lib/clock.ts'
import { type Instant, instant } from '../lib/time.ts'
import type { WebhookTransport } from '../ports/webhook-transport.ts'
import { addressGuard, type Resolve } from './address-guard.ts'
import { type HttpFailure, openHttp, retryAfterOf, sentenceOf } from './http.ts'

export type WebhookTransportOptions = Readonly<{
  /** The networks that may be called though they are not public, as `parseNetworks` gives them. */
  allowed: readonly string[]
  /** What it calls itself. */
  userAgent?: string
  resolve?: Resolve
  clock?: Clock
}>

const BODY_LIMIT = 64 * 1024
const wallClock = (): Instant => instant(Date.now())

export function openWebhookTransport(options: WebhookTransportOptions): WebhookTransport & Disposable {
  const { allowed, userAgent = 'Pombo', resolve, clock = wallClock } = options
  const guard = addressGuard(allowed, resolve)
  const http = openHttp({ bodyLimit: BODY_LIMIT, cutsBodies: true, lookup: guard.lookup })
  return {
    async post({ url, headers: given, body }, signal) {
      const reason = guard.refusalOf(url)
      if (reason !== undefined) return { kind: 'refused', reason }

      const headers = { ...given, 'content-type': 'application/json', 'user-agent': userAgent }
      const result = await http.send({ method: 'POST', url, headers, body }, signal)
      if (result.kind !== 'answered') return toUncarried(result)
      return { kind: 'answered', status: result.status, retryAfter: retryAfterOf(result, clock()) }
    },
    [Symbol.dispose]: () => http[Symbol.dispose](),
  }
}

const toUncarried = ({ reason }: HttpFailure) =>
  ({ kind: reason === 'ADDRESS_REFUSED' ? 'refused' : 'unreachable', reason: sentenceOf(reason) }) as const
