/**
 * Sends a one-time code. Its challenge is noted before the message is in the log, and gets its code
 * after: so what is sent is always known to have to be erased, and what verifies is always the code that
 * was sent. Should we stop in between, the repeated call arms the challenge with the code in the log.
 */
import { toComparableAddress } from '../../domain/email/address.ts'
import type { AccountId, MessageId, TenantId, TraceId } from '../../domain/ids.ts'
import type { Counter } from '../../domain/limits/limits.ts'
import { type Content, type Form, MAIL } from '../../domain/message/message.ts'
import { parseSmsBody, type SmsBody } from '../../domain/message/sms-body.ts'
import { bindToDomain, type OtpWords, toBuiltInText } from '../../domain/otp/texts.ts'
import type { OtpTerms } from '../../domain/requests/otp-request.ts'
import { type Instant, later, type Millis } from '../../lib/time.ts'
import type { ChallengeRef, Challenges } from '../../ports/challenges.ts'
import type { CodeHasher } from '../../ports/code-hasher.ts'
import { type AdmitDeps, type Admitted, admit } from '../send/admit.ts'
import { type OtpMailDeps, otpMail, otpText } from './otp-text.ts'

export type StartOtpDeps = AdmitDeps &
  OtpMailDeps &
  Readonly<{
    challenges: Challenges
    hasher: CodeHasher
    /** Six digits that nobody can foresee. */
    drawCode: () => string
    otp: OtpSettings
  }>

/** How many codes a recipient may be sent in which time, and the domain that codes are bound to, if any. */
export type OtpSettings = Readonly<{ limit: number; window: Millis; domain?: string }>

export type WantedOtp = OtpTerms &
  Readonly<{ tenantId: TenantId; accountId: AccountId; idempotencyKey: string; traceId: TraceId }>

export type StartedOtp = Admitted & Readonly<{ expiresAt: Instant }>

export async function startOtp(deps: StartOtpDeps, wanted: WantedOtp): Promise<StartedOtp> {
  const { tenantId, accountId, traceId, maxAttempts, ttl } = wanted
  const createdAt = deps.clock()
  const expiresAt = later(createdAt, ttl)
  const written = await write(deps, wanted, deps.drawCode(), expiresAt)
  const submission = {
    ...written,
    tenantId,
    accountId,
    lane: 'otp',
    // No key of a caller holds a NUL, so none for another kind of message is meant by it.
    idempotencyKey: `otp\0${wanted.idempotencyKey}`,
    traceId,
    prepare: (id: MessageId) => deps.challenges.begin({ id, tenantId, accountId, maxAttempts, createdAt, expiresAt }),
  } as const
  const admitted = await admit(deps, submission, [counterOf(deps, wanted)])
  const ref = { tenantId, id: admitted.id }
  if (admitted.replayed) return { ...admitted, expiresAt: await resume(deps, ref) }
  await arm(deps, ref, submission.content)
  return { ...admitted, expiresAt }
}

type Written = Readonly<{ content: OtpContent; form: Form }>
type OtpContent = Content & Required<Pick<Content, 'otp' | 'expiresAt'>>

/** What is sent, and in what it travels. */
async function write(deps: StartOtpDeps, wanted: WantedOtp, code: string, expiresAt: Instant): Promise<Written> {
  const { tenantId, ttl, maxAttempts, appName, locale } = wanted
  const told = { ...(appName === undefined ? {} : { appName }), ...(locale === undefined ? {} : { locale }) }
  const words = { code, minutes: Math.max(1, Math.floor(ttl / 60_000)), ...told }
  const rest = { otp: { code, ttl, maxAttempts, ...told }, metadata: {}, tags: [], expiresAt }
  if (wanted.channel === 'email') {
    const mail = await otpMail(deps, tenantId, words)
    return { content: { channel: 'email', kind: 'email', to: wanted.to, ...mail, ...rest }, form: MAIL }
  }
  const body = await toBody(deps, tenantId, words)
  return { content: { channel: 'sms', kind: 'sms', to: wanted.to, body: body.text, ...rest }, form: body }
}

/** A text that no handset could show gives way to ours. */
async function toBody(deps: StartOtpDeps, tenantId: TenantId, words: OtpWords): Promise<SmsBody> {
  const { domain } = deps.otp
  for (const text of [await otpText(deps, tenantId, words), toBuiltInText(words)]) {
    const body = parseSmsBody(domain === undefined ? text : bindToDomain(text.trim(), words.code, domain))
    if (typeof body !== 'string') return body
  }
  throw new Error('the built-in text of a code is no text')
}

function counterOf({ otp, blind }: StartOtpDeps, wanted: WantedOtp): Counter {
  const { tenantId } = wanted
  const rule = { limit: otp.limit, window: otp.window, algorithm: 'fixed' } as const
  // One mailbox can be written in many ways, and has one limit.
  const to = wanted.channel === 'email' ? toComparableAddress(wanted.to) : wanted.to
  return { tenantId, scope: 'otp', key: blind(tenantId, to), rule, version: 0 }
}

async function arm({ challenges, hasher }: StartOtpDeps, ref: ChallengeRef, content: OtpContent): Promise<void> {
  const { otp, expiresAt } = content
  const hash = await hasher.hash(ref.id, otp.code)
  await challenges.arm(ref, { hash, maxAttempts: otp.maxAttempts, expiresAt })
}

/** When the challenge of an earlier call ends. One that stopped before it was armed is armed now, if its code is still there. */
async function resume(deps: StartOtpDeps, ref: ChallengeRef): Promise<Instant> {
  const known = await deps.challenges.find(ref)
  if (known?.hash !== undefined) return known.expiresAt
  const loaded = await deps.log.load(ref.id)
  const expiresAt = loaded?.event.state.expiresAt
  if (expiresAt === undefined) throw new Error('a code was sent that never ends')
  const content = loaded?.content
  if (content?.otp !== undefined) await arm(deps, ref, { ...content, otp: content.otp, expiresAt })
  return expiresAt
}
