/**
 * Sends a one-time code. Its challenge is armed before the message is stored, so every code that is sent can be checked
 * and is later erased, and a call that is refused has sent nothing. A challenge whose message was not stored expires. Of
 * concurrent calls with one idempotency key, the one that stores the message decides which code the challenge has.
 */
import type { AccountId, TenantId } from '../../domain/ids.ts'
import type { Counter } from '../../domain/limits/limits.ts'
import { type Content, type Form, MAIL, type Origin } from '../../domain/message/message.ts'
import { parseSmsBody, type SmsBody } from '../../domain/message/sms-body.ts'
import type { CodeHash } from '../../domain/otp/challenge.ts'
import type { CodeShape } from '../../domain/otp/code.ts'
import { bindToDomain, type OtpWords, toBuiltInText } from '../../domain/otp/texts.ts'
import type { OtpTerms } from '../../domain/requests/otp-request.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { type Instant, later, type Millis } from '../../lib/time.ts'
import type { ChallengeRef, Challenges, NewChallenge } from '../../ports/challenges.ts'
import type { CodeHasher } from '../../ports/code-hasher.ts'
import { TooManyAttempts } from '../errors.ts'
import { type Accepted, findEarlier, findEarlierOrNext, type Submission, store, toCreated } from '../send/accept.ts'
import { type AdmitDeps, type Admitted, admit } from '../send/admit.ts'
import { type LockOutDeps, lockedOutFor, toRecipientKey } from './lock-out.ts'
import { type OtpMailDeps, writeOtpMail, writeOtpText } from './write-otp.ts'

export type StartOtpDeps = AdmitDeps &
  OtpMailDeps &
  Readonly<{
    challenges: Challenges
    hasher: CodeHasher
    /** An unpredictable code; of six digits without a shape. */
    drawCode: (shape?: CodeShape) => string
    /** Runs calls with the same key one after the other: a call that is repeated meanwhile hashes nothing. */
    inTurn: <Value>(key: string, act: () => Promise<Value>) => Promise<Value>
    /** At most `limit` codes per recipient and window; `domain` is the web origin that codes are bound to. */
    otp: LockOutDeps['otp'] & Readonly<{ limit: number; window: Millis; domain?: string }>
  }>

export type OtpRequest = OtpTerms &
  Origin &
  Readonly<{
    tenantId: TenantId
    accountId: AccountId
    idempotencyKey: string
    /** By which the newest challenge is found. */
    subject?: string
  }>

type StartedOtp = Admitted & Readonly<{ expiresAt: Instant }>

export function startOtp(deps: StartOtpDeps, request: OtpRequest): Promise<StartedOtp> {
  const { tenantId, accountId, idempotencyKey } = request
  return deps.inTurn(JSON.stringify([tenantId, accountId, idempotencyKey]), () => start(deps, request))
}

async function start(deps: StartOtpDeps, request: OtpRequest): Promise<StartedOtp> {
  const { tenantId, accountId, idempotencyKey, traceId, maxAttempts, ttl } = request
  const { httpRequestId, unsampled, cause, subject, shape } = request
  const createdAt = deps.clock()
  const expiresAt = later(createdAt, ttl)
  const written = await writeCode(deps, request, deps.drawCode(shape), expiresAt)
  const submission: OtpSubmission = {
    ...written,
    tenantId,
    accountId,
    lane: 'otp',
    idempotencyKey,
    keyNamespace: 'otp',
    traceId,
    ...omitUndefined({ httpRequestId, unsampled, cause }),
  }
  const recipient = toRecipientKey(deps, tenantId, request.to)
  const earlier = await findEarlierIfLockedOut(deps, submission, recipient)
  const terms = omitUndefined({ tenantId, accountId, maxAttempts, createdAt, expiresAt, subject, shape, recipient })
  let prepared: Prepared | undefined
  const admitted =
    earlier ??
    (await admit(deps, submission, {
      counters: [counterOfCodes(deps, tenantId, recipient)],
      prepare: async () => {
        prepared = await prepare(deps, submission)
      },
      store: async () => storeWithChallenge(deps, submission, terms, prepared ?? (await prepare(deps, submission))),
    }))
  if (!admitted.replayed) return { ...admitted, expiresAt }
  return { ...admitted, expiresAt: await resume(deps, { tenantId, id: admitted.id }) }
}

/** A call that repeats an earlier one sends nothing, and gets its answer. */
async function findEarlierIfLockedOut(
  deps: StartOtpDeps,
  submission: OtpSubmission,
  recipient: string,
): Promise<Admitted | undefined> {
  const wait = await lockedOutFor(deps, { tenantId: submission.tenantId, recipient })
  if (wait === 0) return undefined
  const earlier = await findEarlier(deps, submission)
  if (earlier === undefined) throw new TooManyAttempts(wait)
  return earlier
}

type OtpSubmission = Submission & Readonly<{ content: OtpContent }>

/** The answer to an earlier call; or the generation of the message to come, with the hash of its code. */
type Prepared =
  | Readonly<{ kind: 'earlier'; accepted: Accepted }>
  | Readonly<{ kind: 'new'; generation: number; hash: CodeHash }>

/** Hashing takes long, and has to wait for its turn. */
async function prepare(deps: StartOtpDeps, submission: OtpSubmission): Promise<Prepared> {
  const found = await findEarlierOrNext(deps, submission)
  if (typeof found !== 'number') return { kind: 'earlier', accepted: found }
  return { kind: 'new', generation: found, hash: await hashFor(deps, submission, found) }
}

function hashFor(deps: StartOtpDeps, submission: OtpSubmission, generation: number): Promise<CodeHash> {
  const { id, tenantId } = toCreated(deps, submission, generation).state
  return deps.hasher.hash({ tenantId, id }, submission.content.otp.code)
}

/** Arms the challenge, then accepts the message of the same id. */
async function storeWithChallenge(
  deps: StartOtpDeps,
  submission: OtpSubmission,
  terms: Omit<NewChallenge, 'id' | 'hash'>,
  prepared: Prepared,
): Promise<Accepted> {
  if (prepared.kind === 'earlier') return prepared.accepted
  for (let { generation, hash } = prepared; ; ) {
    const content = { ...submission.content, otp: { ...submission.content.otp, hash } }
    const created = toCreated(deps, submission, generation)
    const { id, tenantId } = created.state
    const isArmed = await deps.challenges.begin({ ...terms, id, hash })
    const accepted = await store(deps, { ...submission, content }, created)
    if (accepted?.replayed === false && !isArmed) await deps.challenges.arm({ tenantId, id }, { ...terms, hash })
    if (accepted !== undefined) return accepted
    generation += 1
    hash = await hashFor(deps, submission, generation)
  }
}

type Written = Readonly<{ content: OtpContent; form: Form }>
type OtpContent = Content & Required<Pick<Content, 'otp' | 'expiresAt'>>

/** The message that carries a code. */
export async function writeCode(
  deps: StartOtpDeps,
  request: OtpRequest,
  code: string,
  expiresAt: Instant,
): Promise<Written> {
  const { tenantId, ttl, maxAttempts, shape, appName, locale } = request
  const wording = omitUndefined({ appName, locale })
  const words = { code, minutes: Math.max(1, Math.floor(ttl / 60_000)), ...wording }
  const rest = {
    otp: { code, ttl, maxAttempts, ...omitUndefined({ shape }), ...wording },
    metadata: {},
    tags: [],
    expiresAt,
  }
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

export type CodeLimitDeps = Readonly<{ otp: Readonly<{ limit: number; window: Millis }> }>

/** The limit on codes per recipient, who is named by a keyed hash. */
export function counterOfCodes({ otp }: CodeLimitDeps, tenantId: TenantId, recipient: string): Counter {
  const rule = { limit: otp.limit, window: otp.window, algorithm: 'fixed' } as const
  return { tenantId, scope: 'otp', key: recipient, rule, version: 0 }
}

export const codeCounterOf = (deps: StartOtpDeps, { tenantId, to }: OtpRequest): Counter =>
  counterOfCodes(deps, tenantId, toRecipientKey(deps, tenantId, to))

/**
 * The expiry of an earlier call's challenge. A call that was made at the same time may have armed it with a code that was
 * never sent, or have crashed before it armed it: then it gets the code in the log, as long as that is stored.
 */
async function resume(deps: StartOtpDeps, ref: ChallengeRef): Promise<Instant> {
  const [challenge, loaded] = await Promise.all([deps.challenges.find(ref), deps.log.load(ref.id)])
  const expiresAt = loaded?.event.state.expiresAt
  if (expiresAt === undefined) throw new Error('the message of a code has no deadline')
  const { otp: sent, to } = loaded?.content ?? {}
  if (sent === undefined || to === undefined) return expiresAt
  const hash = await hashToArm(deps, ref, sent, challenge?.hash)
  const { maxAttempts, shape } = sent
  const recipient = toRecipientKey(deps, ref.tenantId, to)
  const armed = hash && omitUndefined({ hash, maxAttempts, expiresAt, shape, recipient })
  if (armed !== undefined) await deps.challenges.arm(ref, armed)
  return expiresAt
}

/** The hash of the code that was sent; undefined where `armed` is one. */
async function hashToArm(
  { hasher }: StartOtpDeps,
  ref: ChallengeRef,
  sent: OtpContent['otp'],
  armed: CodeHash | undefined,
): Promise<CodeHash | undefined> {
  const { code, hash } = sent
  if (armed !== undefined && (hash === undefined || hash === armed)) return undefined
  // After an import under another master key, the hash in the message is useless.
  if (hash !== undefined && (await hasher.matches(ref, code, hash))) return hash
  if (armed !== undefined && (await hasher.matches(ref, code, armed))) return undefined
  return hasher.hash(ref, code)
}
