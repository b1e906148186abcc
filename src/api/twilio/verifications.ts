/**
 * Twilio's Verify API over one-time codes. A service of Twilio's needs no set-up here: any service SID will do, and keeps
 * its verifications apart from those of others.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { MessageId } from '../../domain/ids.ts'
import { maskRecipient } from '../../domain/message/searchable.ts'
import { type Challenge, toChallengeStatus } from '../../domain/otp/challenge.ts'
import { hasShape } from '../../domain/otp/code.ts'
import { parseSid } from '../../domain/twilio/sids.ts'
import type { Blind } from '../../flows/admin/search.ts'
import { type Checked, type CheckOtpDeps, checkOtp } from '../../flows/otp/check-otp.ts'
import { type StartOtpDeps, startOtp } from '../../flows/otp/start-otp.ts'
import { KeyedMutex } from '../../lib/keyed-mutex.ts'
import type { ChallengeRef, SubjectRef } from '../../ports/challenges.ts'
import { type Api, callerOf, originOf, toLogFields } from '../http/context.ts'
import type { RenderingDeps } from '../http/large-templates.ts'
import { rateLimitHeaders } from '../http/rate-limit.ts'
import type { GuessLimits } from '../send/guess-limits.ts'
import type { OtpObserver } from '../send/otp.ts'
import { errorAnswer, noResource, refuseAs } from './errors.ts'
import type { TwilioGuard } from './twilio.ts'
import {
  type Check,
  readCheck,
  readConclusion,
  readKey,
  readVerification,
  toSubjectText,
} from './verification-request.ts'
import {
  type Shown,
  toCheckView,
  toState,
  toVerificationView,
  type VerificationCheckView,
  type VerificationView,
} from './verification-view.ts'

export type VerificationsDeps = Omit<StartOtpDeps, 'inTurn' | 'renderer'> &
  RenderingDeps &
  CheckOtpDeps &
  Readonly<{ blind: Blind; guesses: GuessLimits; publicUrl: string; logger: Logger; observe?: OtpObserver }>

const SERVICE = '/v2/Services/:service'
const ONE = `${SERVICE}/Verifications/:sid`
const BODY_LIMIT = 16 * 1024

export function verificationRoutes(app: Api, deps: VerificationsDeps, guard: TwilioGuard): void {
  const turns = new KeyedMutex<string>()
  const inTurn: StartOtpDeps['inTurn'] = (key, act) => turns.run(key, act)
  const options = {
    schema: { hide: true },
    config: { errorAnswer },
    onRequest: [...guard('otp'), checkService],
    bodyLimit: BODY_LIMIT,
  }
  app.post(`${SERVICE}/Verifications`, options, (request, reply) => start({ ...deps, inTurn }, request, reply))
  app.post(`${SERVICE}/VerificationCheck`, options, (request, reply) => check(deps, request, reply))
  app.get(ONE, options, async (request) => show(deps, request, await find(deps, request)))
  app.post(ONE, options, (request) => conclude(deps, request))
}

const SERVICE_SID = /^VA[0-9a-f]{32}$/i
const serviceOf = ({ params }: FastifyRequest): string => (params as { service: string }).service

function checkService(request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void {
  done(SERVICE_SID.test(serviceOf(request)) ? undefined : noResource())
}

async function start(
  deps: Omit<VerificationsDeps, 'inTurn'> & Pick<StartOtpDeps, 'inTurn'>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<VerificationView> {
  const { tenantId, accountId } = callerOf(request)
  const terms = readVerification(request)
  const idempotencyKey = readKey(request, () => deps.ids.messageId(deps.clock()))
  const { subject } = toSubject(deps, request, terms.to)
  const wanted = { ...terms, tenantId, accountId, idempotencyKey, subject, ...originOf(request) }
  const started = await deps.withRenderer({ tenantId }, (renderer) => startOtp({ ...deps, renderer }, wanted))
  const { id, createdAt, replayed, limits } = started
  deps.logger.debug({ ...toLogFields(request), message_id: id, replayed }, 'otp accepted')
  if (!replayed) deps.observe?.onCodeStarted(terms.channel)
  reply.code(201).headers(rateLimitHeaders(limits))
  const { to, channel } = terms
  const shown = { id, tenantId, accountId, createdAt, serviceSid: serviceOf(request), to, channel }
  return toVerificationView(shown, { status: 'pending', updatedAt: createdAt }, deps.publicUrl)
}

/** The service and the recipient, whom only the key of this installation reveals. */
function toSubject(
  deps: VerificationsDeps,
  request: FastifyRequest,
  to: Parameters<typeof toSubjectText>[0],
): SubjectRef {
  const { tenantId } = callerOf(request)
  const service = serviceOf(request).toLowerCase()
  return { tenantId, subject: `${service} ${deps.blind(tenantId, toSubjectText(to))}` }
}

/** The answer to the check that uses up the last attempt is still `pending`; the next one is refused. */
async function check(
  deps: VerificationsDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<VerificationCheckView> {
  const { tenantId } = callerOf(request)
  const asked = readCheck(request)
  let challenge: Challenge | undefined
  const guess = async (): Promise<Checked> => {
    challenge = await findOpen(deps, request, asked)
    // It takes no attempt: the code has another shape.
    if (!hasShape(asked.code, challenge.shape))
      return { status: 'invalid', remaining: challenge.maxAttempts - challenge.attempts }
    return checkOtp(deps, tenantId, { id: challenge.id, code: asked.code })
  }
  const { status } = await deps.guesses.admit(tenantId, request.ip, guess)
  deps.observe?.onChecked(status)
  if (challenge === undefined || status === 'already_verified' || isOver(status)) throw noResource()
  const shown = await toShown(deps, request, challenge)
  const { named } = asked
  reply.code(201)
  return toCheckView(named.kind === 'to' ? { ...shown, to: named.to } : shown, status === 'verified', deps.clock())
}

const isOver = (status: Checked['status']): boolean => status === 'expired' || status === 'canceled'

async function findOpen(deps: VerificationsDeps, request: FastifyRequest, { named }: Check): Promise<Challenge> {
  const ref = named.kind === 'to' ? toSubject(deps, request, named.to) : toRef(request, named.id)
  const challenge = ref && (await deps.challenges.find(ref))
  if (challenge === undefined) throw noResource()
  switch (toChallengeStatus(challenge, deps.clock())) {
    case 'pending':
      return challenge
    case 'exhausted':
      throw refuseAs(60202, 'Max check attempts reached')
    case 'verified':
    case 'canceled':
    case 'expired':
      throw noResource()
  }
}

const toRef = (request: FastifyRequest, id: MessageId | undefined): ChallengeRef | undefined =>
  id && { tenantId: callerOf(request).tenantId, id }

async function find({ challenges }: VerificationsDeps, request: FastifyRequest): Promise<Challenge> {
  const ref = toRef(request, parseSid('VE', (request.params as { sid: string }).sid))
  const challenge = ref && (await challenges.find(ref))
  if (challenge === undefined) throw noResource()
  return challenge
}

async function show(deps: VerificationsDeps, request: FastifyRequest, challenge: Challenge): Promise<VerificationView> {
  const state = toState(challenge, deps.clock())
  return toVerificationView(await toShown(deps, request, challenge), state, deps.publicUrl)
}

/** The recipient is masked: whoever has the id of a verification need not know whose it is. */
async function toShown({ log }: VerificationsDeps, request: FastifyRequest, challenge: Challenge): Promise<Shown> {
  const loaded = await log.load(challenge.id)
  if (loaded === undefined) throw noResource()
  const { event, content, searchable } = loaded
  const to = content === undefined ? (searchable?.to ?? '') : maskRecipient(content)
  return { ...challenge, serviceSid: serviceOf(request), to, channel: event.state.channel }
}

async function conclude(deps: VerificationsDeps, request: FastifyRequest): Promise<VerificationView> {
  const as = readConclusion(request)
  const challenge = await find(deps, request)
  const isOpen = toChallengeStatus(challenge, deps.clock()) === 'pending'
  if (!isOpen || !(await deps.challenges.conclude(challenge, as, deps.clock()))) throw noResource()
  return show(deps, request, await find(deps, request))
}
