/** Turns what a client submits into a submission, as the API does with a request: the same checks, the same content. */
import type { Caller } from '../../domain/access/caller.ts'
import type { Lane } from '../../domain/message/message.ts'
import type { ReceiptRequest, SmppAddress } from '../../domain/message/receipt-request.ts'
import { parseSmsRequest } from '../../domain/requests/sms-request.ts'
import type { Submission } from '../../flows/send/accept.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { type Instant, toIso } from '../../lib/time.ts'
import type { Ids } from '../../ports/world.ts'
import { toRecipient, toSenderId } from './addresses.ts'
import { STATUS, TAGS } from './pdu.ts'
import type { SubmitRequest } from './requests.ts'
import { Answered, statusOfField } from './statuses.ts'
import { type Coding, codingOf, toText } from './texts.ts'
import { isRelative, parseSmppTime } from './times.ts'

export type SubmissionDeps = Readonly<{
  ids: Pick<Ids, 'traceId'>
  maxParts: number
  /** Of messages with the priority 0, as nearly all clients send them. */
  defaultLane: 'transactional' | 'bulk'
}>

/** A message, whole or joined, before it is checked. */
export type Draft = Readonly<{
  source: SmppAddress
  destination: SmppAddress
  text: string
  isFlash: boolean
  lane: Lane
  expiresAt: Instant | undefined
  idempotencyKey: string | undefined
  receipt: Omit<ReceiptRequest, 'source' | 'destination'>
}>

/** Bits of esm_class: acknowledgements of users and receipts are not for a client to submit. */
const TYPE = 0x3c
const KEY = /^[\x20-\x7e]{1,255}$/

/** What of a request does not depend on its text. Throws `Answered` for what no message may ask for. */
export function readTerms(request: SubmitRequest, deps: SubmissionDeps, now: Instant) {
  const { esmClass, schedule, defaultMessage, priority, validity, optionals } = request
  if ((esmClass & TYPE) !== 0) throw new Answered(STATUS.invalidEsmClass)
  if (schedule !== '') throw new Answered(STATUS.invalidSchedule)
  if (defaultMessage !== 0) throw new Answered(STATUS.invalidDefaultMessage)
  const lane: Lane = priority === 0 ? deps.defaultLane : 'transactional'
  const expiresAt = validity === '' ? undefined : parseSmppTime(validity, now)
  if (validity !== '' && expiresAt === undefined) throw new Answered(STATUS.invalidExpiry)
  const idempotencyKey = optionals.get(TAGS.pombo_idempotency_key)?.toString('latin1').replace(/\0$/, '')
  if (idempotencyKey !== undefined && !KEY.test(idempotencyKey)) throw new Answered(STATUS.invalidOptional)
  const validityPeriod = isRelative(validity) ? validity : undefined
  return { coding: readCoding(request), lane, expiresAt, idempotencyKey, validityPeriod }
}

function readCoding({ coding: dataCoding }: SubmitRequest): Coding {
  const coding = codingOf(dataCoding)
  if (coding === undefined) throw new Answered(STATUS.invalidDataCoding)
  return coding
}

export function decode(octets: Uint8Array, { alphabet }: Coding): string {
  const text = toText(octets, alphabet)
  if (text === undefined) throw new Answered(STATUS.invalidDataCoding)
  return text
}

/** Throws `Answered` where a field is not valid. */
export function toSubmission({ tenantId, accountId }: Caller, draft: Draft, deps: SubmissionDeps): Submission {
  const { source, destination, text, isFlash, lane, expiresAt, idempotencyKey, receipt } = draft
  const to = toRecipient(destination)
  if (to === undefined) throw new Answered(STATUS.invalidDestinationTon)
  const fields = omitUndefined({
    to,
    message: text,
    sender_id: toSenderId(source),
    expires_at: expiresAt === undefined ? undefined : toIso(expiresAt),
  })
  const parsed = parseSmsRequest({ ...fields, type: isFlash ? 'flash_sms' : 'sms' }, deps.maxParts)
  if (parsed.kind === 'bad') throw new Answered(statusOfField(parsed.problems[0]?.path ?? ''))
  const isKept = receipt.validityPeriod !== undefined || receipt.registered.some((flags) => flags !== 0)
  const content = isKept ? { ...parsed.content, receipt: { source, destination, ...receipt } } : parsed.content
  const traceId = deps.ids.traceId()
  return {
    tenantId,
    accountId,
    lane,
    content,
    form: parsed.segmentation,
    traceId,
    ...omitUndefined({ idempotencyKey }),
  }
}
