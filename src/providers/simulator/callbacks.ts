/**
 * How the simulator's server reports: signed calls to the callback each attempt named, a hundred or so
 * receipts at once and several calls in flight. Receipts are taken once every call is answered 2xx.
 */
import type { Logger } from 'pino'
import { seconds } from '../../lib/time.ts'
import type { Receipt } from '../../ports/provider.ts'
import type { Http, HttpRequest } from '../http.ts'
import { toReceiptJson } from './json.ts'
import type { Reporter } from './receipts.ts'
import { SIGNATURE_HEADER, sign } from './signature.ts'

export type CallbackDeps = Readonly<{ http: Http; secret: string; logger: Logger }>

/** So that a call's body stays well under what a webhook takes, and eight calls carry all that is collected at once. */
const RECEIPTS_PER_CALL = 125
const PATIENCE = seconds(10)

export function toReporter({ http, secret, logger }: CallbackDeps): Reporter {
  const away = new Set<string>()

  /** Why they were not taken; undefined when they were. */
  async function call(callback: string, receipts: readonly Receipt[]): Promise<string | undefined> {
    const result = await http.send(toRequest(secret, callback, receipts), AbortSignal.timeout(PATIENCE))
    if (result.kind !== 'answered') return result.reason
    return result.status >= 200 && result.status < 300 ? undefined : `HTTP_${result.status}`
  }

  return async (receipts, callback) => {
    const reasons = await Promise.all(chunksOf(receipts).map((chunk) => call(callback, chunk)))
    const reason = reasons.find((one) => one !== undefined)
    const { origin } = new URL(callback)
    if (reason === undefined) {
      if (away.delete(callback)) logger.info({ callback: origin }, 'callback takes receipts again')
      return
    }
    // Said once: it is tried again until somebody is there.
    if (!away.has(callback)) logger.warn({ callback: origin, reason }, 'callback does not take receipts')
    away.add(callback)
    throw new Error(`the callback did not take receipts: ${reason}`)
  }
}

function toRequest(secret: string, url: string, receipts: readonly Receipt[]): HttpRequest {
  const body = JSON.stringify(receipts.map(toReceiptJson))
  const headers = { 'content-type': 'application/json', [SIGNATURE_HEADER]: sign(secret, body) }
  return { method: 'POST', url, headers, body }
}

const chunksOf = (receipts: readonly Receipt[]): (readonly Receipt[])[] =>
  Array.from({ length: Math.ceil(receipts.length / RECEIPTS_PER_CALL) }, (_, nth) =>
    receipts.slice(nth * RECEIPTS_PER_CALL, (nth + 1) * RECEIPTS_PER_CALL),
  )
