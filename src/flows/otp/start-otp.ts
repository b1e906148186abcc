/**
 * Sends a one-time code. The challenge is stored before the message and gets its code after it, so every code that was
 * sent is later erased, and only the code that was sent verifies. If we crash in between, the repeated call arms the
 * challenge with the code in the log.
 */
import { toComparableAddress } from '../../domain/email/address.ts'
import type { AccountId, TenantId, TraceId } from '../../domain/ids.ts'
import type { Counter } from '../../domain/limits/limits.ts'
import { type Content, type Form, MAIL } from '../../domain/message/message.ts'
import { parseSmsBody, type SmsBody } from '../../domain/message/sms-body.ts'
import type { Challenge } from '../../domain/otp/challenge.ts'
import { bindToDomain, type OtpWords, toBuiltInText } from '../../domain/otp/texts.ts'
import type { OtpTerms } from '../../domain/requests/otp-request.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { type Instant, later, type Millis } from '../../lib/time.ts'
import type { ChallengeRef, Challenges } from '../../ports/challenges.ts'
import type { CodeHasher } from '../../ports/code-hasher.ts'
import { type Accepted, type Submission, store, toCreated } from '../send/accept.ts'
import { type AdmitDeps, type Admitted, admit } from '../send/admit.ts'
import { type OtpMailDeps, writeOtpMail, writeOtpText } from './write-otp.ts'

export type StartOtpDeps = AdmitDeps &
  OtpMailDeps &
  Readonly<{
    challenges: Challenges
    hasher: CodeHasher
    /** Six unpredictable digits. */
    drawCode: () => string
    /** At most `limit` codes per recipient and window; `domain` is the web origin that codes are bound to. */
    otp: Readonly<{ limit: number; window: Millis; domain?: string }>
  }>

export type OtpRequest = OtpTerms &
  Readonly<{ tenantId: TenantId; accountId: AccountId; idempotencyKey: string; traceId: TraceId }>

type StartedOtp = Admitted & Readonly<{ expiresAt: Instant }>

export async function startOtp(deps: StartOtpDeps, request: OtpRequest): Promise<StartedOtp> {
  const { tenantId, accountId, idempotencyKey, traceId, maxAttempts, ttl } = request
  const createdAt = deps.clock()
  const expiresAt = later(createdAt, ttl)
  const written = await write(deps, request, deps.drawCode(), expiresAt)
  const submission: Submission = {
    ...written,
    tenantId,
    accountId,
    lane: 'otp',
    idempotencyKey,
    keyNamespace: 'otp',
    traceId,
  }
  const challenge = { tenantId, accountId, maxAttempts, createdAt, expiresAt }
  const admitted = await admit(deps, submission, {
    counters: [counterOf(deps, request)],
    store: () => storeWithChallenge(deps, submission, challenge),
  })
  const ref = { tenantId, id: admitted.id }
  if (admitted.replayed) return { ...admitted, expiresAt: await resume(deps, ref) }
  await arm(deps, ref, written.content)
  return { ...admitted, expiresAt }
}

/** Accepts the message, and stores the challenge of the same id before it. */
async function storeWithChallenge(
  deps: StartOtpDeps,
  submission: Submission,
  challenge: Omit<Challenge, 'id' | 'hash' | 'attempts' | 'verifiedAt'>,
): Promise<Accepted> {
  for (let generation = 0; ; generation += 1) {
    const created = toCreated(deps, submission, generation)
    await deps.challenges.begin({ ...challenge, id: created.state.id })
    const accepted = await store(deps, submission, created)
    if (accepted !== undefined) return accepted
  }
}

type Written = Readonly<{ content: OtpContent; form: Form }>
type OtpContent = Content & Required<Pick<Content, 'otp' | 'expiresAt'>>

async function write(deps: StartOtpDeps, request: OtpRequest, code: string, expiresAt: Instant): Promise<Written> {
  const { tenantId, ttl, maxAttempts, appName, locale } = request
  const wording = omitUndefined({ appName, locale })
  const words = { code, minutes: Math.max(1, Math.floor(ttl / 60_000)), ...wording }
  const rest = { otp: { code, ttl, maxAttempts, ...wording }, metadata: {}, tags: [], expiresAt }
  if (request.channel === 'email') {
    const mail = await writeOtpMail(deps, tenantId, words)
    return { content: { channel: 'email', kind: 'email', to: request.to, ...mail, ...rest }, form: MAIL }
  }
  const body = await toBody(deps, tenantId, words)
  return { content: { channel: 'sms', kind: 'sms', to: request.to, body: body.text, ...rest }, form: body }
}

/** Falls back to the built-in text where the template's text is no valid SMS. */
async function toBody(deps: StartOtpDeps, tenantId: TenantId, words: OtpWords): Promise<SmsBody> {
  const { domain } = deps.otp
  for (const text of [await writeOtpText(deps, tenantId, words), toBuiltInText(words)]) {
    const body = parseSmsBody(domain === undefined ? text : bindToDomain(text.trim(), words.code, domain))
    if (typeof body !== 'string') return body
  }
  throw new Error('the built-in text of a code is no valid SMS')
}

function counterOf({ otp, blind }: StartOtpDeps, request: OtpRequest): Counter {
  const { tenantId } = request
  const rule = { limit: otp.limit, window: otp.window, algorithm: 'fixed' } as const
  // One mailbox can be spelled in several ways but has one limit.
  const to = request.channel === 'email' ? toComparableAddress(request.to) : request.to
  return { tenantId, scope: 'otp', key: blind(tenantId, to), rule, version: 0 }
}

async function arm({ challenges, hasher }: StartOtpDeps, ref: ChallengeRef, content: OtpContent): Promise<void> {
  const { otp, expiresAt } = content
  const hash = await hasher.hash(ref.id, otp.code)
  await challenges.arm(ref, { hash, maxAttempts: otp.maxAttempts, expiresAt })
}

/** The expiry of an earlier call's challenge. Arms it if that call crashed before, as long as the code is still stored. */
async function resume(deps: StartOtpDeps, ref: ChallengeRef): Promise<Instant> {
  const challenge = await deps.challenges.find(ref)
  if (challenge?.hash !== undefined) return challenge.expiresAt
  const loaded = await deps.log.load(ref.id)
  const expiresAt = loaded?.event.state.expiresAt
  if (expiresAt === undefined) throw new Error('the message of a code has no deadline')
  const content = loaded?.content
  if (content?.otp !== undefined) await arm(deps, ref, { ...content, otp: content.otp, expiresAt })
  return expiresAt
}
