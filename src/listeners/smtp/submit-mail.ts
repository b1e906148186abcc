/**
 * Turns a mail into one message per recipient and stores them. SMTP has one reply for all recipients: what is refused
 * for good is refused before anything is stored, and where storing fails for some, the client is told to send the mail
 * again, which then finds those that are stored.
 */
import { createHash } from 'node:crypto'
import type { Caller } from '../../domain/access/caller.ts'
import type { EmailAddress } from '../../domain/email/address.ts'
import { type EmailContent, MAIL } from '../../domain/message/message.ts'
import { senderProblem } from '../../flows/access/check-sender.ts'
import { refuse } from '../../flows/errors.ts'
import type { Accepted, Submission } from '../../flows/send/accept.ts'
import { type AdmitDeps, admit, senderRefused } from '../../flows/send/admit.ts'
import { foreseeRefusal } from '../../flows/send/foresee.ts'
import type { HtmlInspector } from '../../ports/html-inspector.ts'
import type { MailReader, ReadMail } from '../../ports/mail-reader.ts'
import { flawReply } from './replies.ts'

export type SubmitDeps = AdmitDeps & Readonly<{ reader: MailReader; inspector: HtmlInspector }>

export type Mail = Readonly<{
  caller: Caller
  raw: Buffer
  /** The envelope sender, if it is an address. */
  envelopeFrom: EmailAddress | undefined
  to: readonly EmailAddress[]
}>

/** Large mails are stored one after the other. */
const SMALL_BYTES = 256 * 1024
const AT_ONCE = 16

/** The messages in the order of the recipients. Throws a refusal or a reply. */
export async function submitMail(deps: SubmitDeps, mail: Mail): Promise<readonly Accepted[]> {
  const { caller, raw, envelopeFrom, to } = mail
  const defaults = { at: deps.clock(), ...(envelopeFrom && { from: envelopeFrom }) }
  const read = await deps.reader.read(raw, defaults, caller.tenantId)
  if (read.kind === 'unreadable') throw flawReply(read.flaw, read.detail)
  const traceId = deps.ids.traceId()
  const submissions = to.map((address) => toSubmission(read, caller, address, traceId))
  await refuseAhead(deps, submissions, read)
  return storeAll(deps, submissions, raw.length > SMALL_BYTES ? 1 : AT_ONCE)
}

function toSubmission(
  { content, identity, isBulk }: ReadMail,
  { tenantId, accountId }: Caller,
  to: EmailAddress,
  traceId: Submission['traceId'],
): Submission & Readonly<{ content: EmailContent }> {
  return {
    tenantId,
    accountId,
    lane: isBulk ? 'bulk' : 'transactional',
    content: { channel: 'email', kind: 'email', to, ...content },
    form: MAIL,
    traceId,
    ...(identity === undefined ? {} : { idempotencyKey: toKey(identity, to) }),
  }
}

/** Found for 48 hours, as all keys are. */
const toKey = (identity: string, to: EmailAddress): string =>
  `smtp-${createHash('sha256').update(`${identity} ${to}`).digest('hex')}`

type MailSubmission = ReturnType<typeof toSubmission>

/** Throws what would be refused for good. */
async function refuseAhead(deps: SubmitDeps, submissions: readonly MailSubmission[], read: ReadMail): Promise<void> {
  const [flaw] = await deps.inspector.inspect(read.content.html)
  if (flaw !== undefined) {
    throw refuse('VALIDATION_ERROR', `Not accepted: the html has ${flaw.detail} in line ${flaw.line}`)
  }
  const [first] = submissions
  if (first !== undefined && read.sender !== undefined) {
    const shown = { ...first.content, from: { address: read.sender } }
    const problem = senderProblem(deps, first.tenantId, shown)
    if (problem !== undefined) throw senderRefused({ ...problem, path: '/sender' })
  }
  // Storing one message refuses it as a whole anyway.
  if (submissions.length === 1) return
  for (const [index, submission] of submissions.entries()) {
    const refusal = await foreseeRefusal(deps, submission)
    if (refusal !== undefined) {
      throw refuse(refusal.code, `Recipient ${index + 1} of ${submissions.length}: ${refusal.message}`)
    }
  }
}

/** Every recipient is tried, so that a mail which is sent again has less to do; then the first failure is thrown. */
async function storeAll(
  deps: SubmitDeps,
  submissions: readonly Submission[],
  atOnce: number,
): Promise<readonly Accepted[]> {
  const results: PromiseSettledResult<Accepted>[] = []
  for (let at = 0; at < submissions.length; at += atOnce) {
    const some = submissions.slice(at, at + atOnce)
    results.push(...(await Promise.allSettled(some.map((submission) => admit(deps, submission)))))
  }
  const failed = results.find((result) => result.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
}
