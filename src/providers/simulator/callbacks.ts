/**
 * Sends the receipts of the simulator's server to the attempts' callback URLs: signed, in batches, with several calls in
 * flight. The receipts are delivered once every call is answered with 2xx.
 */
import type { Logger } from 'pino'
import { SharedTimeouts } from '../../lib/shared-timeouts.ts'
import { seconds } from '../../lib/time.ts'
import type { Receipt } from '../../ports/provider.ts'
import type { Http, HttpRequest } from '../http.ts'
import { toReceiptJson } from './json.ts'
import type { Reporter } from './receipts.ts'
import { SIGNATURE_HEADER, sign } from './signature.ts'

export type CallbackDeps = Readonly<{ http: Http; secret: string; logger: Logger }>

/** A body must stay below the API's limit, and eight calls must carry all receipts that are collected at once. */
const RECEIPTS_PER_CALL = 125
const TIMEOUT = seconds(10)

export function toReporter({ http, secret, logger }: CallbackDeps): Reporter {
  const failing = new Set<string>()
  const timeouts = new SharedTimeouts()

  /** Why the call failed; undefined if it succeeded. */
  async function call(callback: string, receipts: readonly Receipt[]): Promise<string | undefined> {
    const timeout = timeouts.begin(TIMEOUT)
    const result = await http.send(toRequest(secret, callback, receipts), timeout.signal)
    timeout.end()
    if (result.kind !== 'answered') return result.reason
    return result.status >= 200 && result.status < 300 ? undefined : `HTTP_${result.status}`
  }

  return async (receipts, callback) => {
    const reasons = await Promise.all(chunksOf(receipts).map((chunk) => call(callback, chunk)))
    const reason = reasons.find((one) => one !== undefined)
    if (reason === undefined) {
      if (failing.delete(callback)) {
        logger.info({ callback: originOf(callback) }, 'simulator: callback accepts receipts again')
      }
      return
    }
    // Logged once; the receipts are retried until they are accepted.
    if (!failing.has(callback)) {
      logger.warn({ callback: originOf(callback), reason }, 'simulator: callback refuses receipts, retrying')
    }
    failing.add(callback)
    throw new Error(`the callback refused receipts: ${reason}`)
  }
}

const originOf = (url: string): string => new URL(url).origin

function toRequest(secret: string, url: string, receipts: readonly Receipt[]): HttpRequest {
  const body = JSON.stringify(receipts.map(toReceiptJson))
  const headers = { 'content-type': 'application/json', [SIGNATURE_HEADER]: sign(secret, body) }
  return { method: 'POST', url, headers, body }
}

const chunksOf = (receipts: readonly Receipt[]): (readonly Receipt[])[] =>
  Array.from({ length: Math.ceil(receipts.length / RECEIPTS_PER_CALL) }, (_, index) =>
    receipts.slice(index * RECEIPTS_PER_CALL, (index + 1) * RECEIPTS_PER_CALL),
  )
