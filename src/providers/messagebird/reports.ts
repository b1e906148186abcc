/**
 * What MessageBird tells of a message after it took it: by its callbacks, and when it is asked. Both carry
 * our reference, so what is found is certain; what is not found proves nothing.
 */
import { type Static, Type } from 'typebox'
import type { AttemptRef } from '../../domain/ids.ts'
import { parseReference, toReference } from '../../domain/message/attempt-reference.ts'
import { type Instant, seconds } from '../../lib/time.ts'
import type { CallbackRequest, Known, LookupResult, Receipt } from '../../ports/provider.ts'
import { type Http, type HttpAnswer, isSuccess, jsonOf } from '../http.ts'
import { parser } from '../json.ts'
import { toMessageBirdReason } from './errors.ts'
import { isSigned } from './signature.ts'

export type Account = Readonly<{ http: Http; url: string; authorization: string }>

/** `expired` never left MessageBird, or nothing was heard of it since. */
const STATES = new Map<string, Receipt['state']>([
  ['scheduled', 'accepted'],
  ['sent', 'accepted'],
  ['buffered', 'accepted'],
  ['delivered', 'delivered'],
  ['expired', 'dropped'],
  ['delivery_failed', 'bounced'],
])

type Report = Readonly<{ id: string; status: string; reason: string | undefined; code: number | undefined }>

/** A callback of theirs that is no report on a message of ours tells nothing. */
export async function readCallback(
  signingKey: string,
  request: CallbackRequest,
  now: Instant,
): Promise<readonly Receipt[] | 'forged'> {
  if (!(await isSigned(signingKey, request, now))) return 'forged'
  const query = new URL(request.url).searchParams
  const ref = parseReference(query.get('reference') ?? '')
  const code = Number(query.get('statusErrorCode') ?? Number.NaN)
  const receipt =
    ref &&
    toReceipt(ref, {
      id: query.get('id') ?? '',
      status: query.get('status') ?? '',
      reason: query.get('statusReason') ?? undefined,
      code: Number.isInteger(code) ? code : undefined,
    })
  return receipt === undefined ? [] : [receipt]
}

function toReceipt(ref: AttemptRef, { id, status, reason, code }: Report): Receipt | undefined {
  const state = STATES.get(status)
  if (state === undefined || id === '') return undefined
  const isBad = state === 'bounced' || state === 'dropped'
  const why = isBad ? toMessageBirdReason(reason ?? (status === 'expired' ? status : undefined), code) : {}
  return { ref, providerMessageId: id, state, reportId: `${id}:${state}`, ...why }
}

const MessageJson = Type.Object({
  id: Type.String({ minLength: 1 }),
  reference: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  recipients: Type.Object({
    items: Type.Array(
      Type.Object({
        status: Type.String(),
        statusReason: Type.Optional(Type.Union([Type.String(), Type.Null()])),
        statusErrorCode: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
      }),
    ),
  }),
})
const parseMessage = parser(MessageJson)
const parseList = parser(Type.Object({ items: Type.Array(MessageJson) }))

/** How it is with the only recipient. */
function toReceiptOf(ref: AttemptRef, message: Static<typeof MessageJson>): Receipt | undefined {
  const [recipient] = message.recipients.items
  return (
    recipient &&
    toReceipt(ref, {
      id: message.id,
      status: recipient.status,
      reason: recipient.statusReason ?? undefined,
      code: recipient.statusErrorCode ?? undefined,
    })
  )
}

/** The report that is in the answer to a send, where that says the message has failed already. */
export function toFailure(ref: AttemptRef, answer: HttpAnswer): Receipt | undefined {
  const message = isSuccess(answer.status) ? parseMessage(jsonOf(answer)) : undefined
  const receipt = message && toReceiptOf(ref, message)
  return receipt?.state === 'bounced' || receipt?.state === 'dropped' ? receipt : undefined
}

/** Where it may be among the newest. */
const PAGE_SIZE = 100

export async function lookup(account: Account, ref: AttemptRef, known: Known): Promise<LookupResult> {
  const reference = toReference(ref)
  const { providerMessageId: id } = known
  const messages =
    id === undefined
      ? parseList(await ask(account, `/messages?limit=${PAGE_SIZE}`))?.items
      : [parseMessage(await ask(account, `/messages/${encodeURIComponent(id)}`))]
  const found = messages?.find((message) => message?.reference === reference)
  const receipt = found && toReceiptOf(ref, found)
  return receipt === undefined ? { kind: 'undetermined' } : { kind: 'found', receipt }
}

/** How long it may take to answer a question. */
const PATIENCE = seconds(10)

/** The JSON of a good answer; undefined when there is none. */
async function ask({ http, url, authorization }: Account, path: string): Promise<unknown> {
  const headers = { authorization, accept: 'application/json' }
  const result = await http.send({ method: 'GET', url: `${url}${path}`, headers }, AbortSignal.timeout(PATIENCE))
  return result.kind === 'answered' && result.status === 200 ? jsonOf(result) : undefined
}
