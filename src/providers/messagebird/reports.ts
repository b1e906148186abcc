/**
 * Delivery reports of MessageBird, from callbacks and lookups. Both carry our reference, so a message that is found is
 * certainly ours; a message that is not found proves nothing.
 */
import { type Static, Type } from 'typebox'
import type { AttemptRef } from '../../domain/ids.ts'
import { parseReference, toReference } from '../../domain/message/attempt-reference.ts'
import type { Instant } from '../../lib/time.ts'
import type { CallbackBounds, CallbackRequest, KnownAttempt, LookupResult, Receipt } from '../../ports/provider.ts'
import { type HttpAnswer, isSuccess } from '../http.ts'
import { jsonOf, parser } from '../json.ts'
import { type Account, getJson } from '../rest-api.ts'
import { toMessageBirdReason } from './errors.ts'
import { hasSignature, isSigned } from './signature.ts'

/** `expired`: the message never left MessageBird, or the network sent no report. */
const STATES = new Map<string, Receipt['state']>([
  ['scheduled', 'accepted'],
  ['sent', 'accepted'],
  ['buffered', 'accepted'],
  ['delivered', 'delivered'],
  ['expired', 'dropped'],
  ['delivery_failed', 'bounced'],
])

type Report = Readonly<{ id: string; status: string; reason: string | undefined; code: number | undefined }>

/** A report is a few hundred bytes. */
export const CALLBACKS: CallbackBounds = { maxBytes: 16 * 1024, mayBeGenuine: hasSignature }

/** Signed callbacks that are not about one of our messages yield no receipt. */
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
  const isFailure = state === 'bounced' || state === 'dropped'
  const reported = isFailure ? toMessageBirdReason(reason ?? (status === 'expired' ? status : undefined), code) : {}
  return { ref, providerMessageId: id, state, reportId: `${id}:${state}`, ...reported }
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

/** From the status of the only recipient. */
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

/** The failure that an answer to a send reports. */
export function toFailure(ref: AttemptRef, answer: HttpAnswer): Receipt | undefined {
  const message = isSuccess(answer.status) ? parseMessage(jsonOf(answer)) : undefined
  const receipt = message && toReceiptOf(ref, message)
  return receipt?.state === 'bounced' || receipt?.state === 'dropped' ? receipt : undefined
}

/** Without an id we search the newest messages. */
const PAGE_SIZE = 100

export async function lookup(account: Account, ref: AttemptRef, known: KnownAttempt): Promise<LookupResult> {
  const reference = toReference(ref)
  const { providerMessageId: id } = known
  const messages =
    id === undefined
      ? parseList(await getJson(account, `/messages?limit=${PAGE_SIZE}`))?.items
      : [parseMessage(await getJson(account, `/messages/${encodeURIComponent(id)}`))]
  const found = messages?.find((message) => message?.reference === reference)
  const receipt = found && toReceiptOf(ref, found)
  return receipt === undefined ? { kind: 'undetermined' } : { kind: 'found', receipt }
}
