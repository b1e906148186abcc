/**
 * Sends a one-time code. Its challenge is noted before the message is in the log, and gets its code
 * after: so what is sent is always known to have to be erased, and what verifies is always the code that
 * was sent. Should we stop in between, the repeated call arms the challenge with the code in the log.
 */
import type { AccountId, MessageId, TenantId, TraceId } from '../domain/ids.ts'
import type { Counter } from '../domain/limits.ts'
import type { SmsContent } from '../domain/message.ts'
import type { OtpTerms } from '../domain/otp-request.ts'
import { bindToDomain, type OtpWords, toBuiltInText } from '../domain/otp-texts.ts'
import { parseSmsBody, type SmsBody } from '../domain/sms-body.ts'
import { type Instant, later, type Millis } from '../domain/time.ts'
import type { ChallengeRef, Challenges } from '../ports/challenges.ts'
import type { CodeHasher } from '../ports/code-hasher.ts'
import { type AdmitDeps, type Admitted, admit } from './admit.ts'

export type StartOtpDeps = AdmitDeps &
  Readonly<{
    challenges: Challenges
    hasher: CodeHasher
    /** Six digits that nobody can foresee. */
    drawCode: () => string
    otpText: (tenantId: TenantId, words: OtpWords) => Promise<string>
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
  const code = deps.drawCode()
  const body = await toBody(deps, wanted, code)
  const submission = {
    tenantId,
    accountId,
    lane: 'otp',
    content: toContent(wanted, code, body.text, expiresAt),
    segmentation: body,
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

/** A text that no handset could show gives way to ours. */
async function toBody({ otpText, otp }: StartOtpDeps, wanted: WantedOtp, code: string): Promise<SmsBody> {
  const { tenantId, ttl, appName, locale } = wanted
  const words = {
    code,
    minutes: Math.max(1, Math.floor(ttl / 60_000)),
    ...(appName === undefined ? {} : { appName }),
    ...(locale === undefined ? {} : { locale }),
  }
  const { domain } = otp
  for (const text of [await otpText(tenantId, words), toBuiltInText(words)]) {
    const body = parseSmsBody(domain === undefined ? text : bindToDomain(text.trim(), code, domain))
    if (typeof body !== 'string') return body
  }
  throw new Error('the built-in text of a code is no text')
}

type OtpContent = SmsContent & Required<Pick<SmsContent, 'otp' | 'expiresAt'>>

function toContent(wanted: WantedOtp, code: string, body: string, expiresAt: Instant): OtpContent {
  const { to, ttl, maxAttempts, appName, locale } = wanted
  const otp = {
    code,
    ttl,
    maxAttempts,
    ...(appName === undefined ? {} : { appName }),
    ...(locale === undefined ? {} : { locale }),
  }
  return { channel: 'sms', kind: 'sms', to, body, otp, metadata: {}, tags: [], expiresAt }
}

function counterOf({ otp, blind }: StartOtpDeps, { tenantId, to }: WantedOtp): Counter {
  const rule = { limit: otp.limit, window: otp.window, algorithm: 'fixed' } as const
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
