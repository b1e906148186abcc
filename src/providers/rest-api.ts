/** What the REST APIs of SMS providers have in common. */
import type { SendOutcome } from '../domain/message/outcome.ts'
import { callSpanOf, toTraceparent } from '../domain/message/trace.ts'
import { seconds } from '../lib/time.ts'
import type { Attempt } from '../ports/provider.ts'
import type { Http } from './http.ts'
import { jsonOf } from './json.ts'
import { forProvider, unknownOutcome } from './provider-errors.ts'

export type Account = Readonly<{ http: Http; url: string; authorization: string }>

const LOOKUP_TIMEOUT = seconds(10)

/** The JSON of a 200 answer, otherwise undefined. */
export async function getJson({ http, url, authorization }: Account, path: string): Promise<unknown> {
  const headers = { authorization, accept: 'application/json' }
  const signal = AbortSignal.timeout(LOOKUP_TIMEOUT)
  const result = await http.send({ method: 'GET', url: `${url}${path}`, headers }, signal)
  return result.kind === 'answered' && result.status === 200 ? jsonOf(result) : undefined
}

export const traceparentOf = (attempt: Pick<Attempt, 'traceId' | 'unsampled' | 'id'>): string =>
  toTraceparent(attempt, callSpanOf(attempt.id))

export const NO_SENDER = forProvider('INVALID_SENDER_ID', 'neither the message nor the settings name a sender')

export const withoutMessageId = (provider: string, status: number): SendOutcome =>
  unknownOutcome(`HTTP_${status}`, `${provider} accepted a message but did not return its id`)
