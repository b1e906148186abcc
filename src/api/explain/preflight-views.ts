/** The report of a preflight. It repeats neither the recipient nor the text. */
import { isUserAddress } from '../../domain/directory/user-address.ts'
import type { CheckFailed } from '../../domain/email/checks.ts'
import { isUp } from '../../domain/explanation/circumstances.ts'
import { countryOf } from '../../domain/message/country.ts'
import { CHECKS } from '../../domain/message/events.ts'
import type { Content, EmailContent } from '../../domain/message/message.ts'
import { numberWarning } from '../../domain/message/number-plan.ts'
import { maskRecipient } from '../../domain/message/searchable.ts'
import { nonGsmCharacters, toSegmentation } from '../../domain/message/segments.ts'
import type { FieldProblem } from '../../domain/requests/request-fields.ts'
import type { Route } from '../../domain/routing/routing.ts'
import { publicCodeOf, type Refusal } from '../../flows/errors.ts'
import type { Preflight } from '../../flows/explain/preflight.ts'
import { TEST } from '../../flows/send/find-route.ts'
import type { Instant } from '../../lib/time.ts'
import { REASONS } from '../routing/route-resolution.ts'
import type { Finding, PreflightReport } from './preflight-schemas.ts'
import { callableAt, type Looked, refusedText, toRefusalView, toVerdict } from './preflight-verdict.ts'
import { toLimitStanding, toProviderViews, toQuotaStanding } from './standing-views.ts'

export function toReport(looked: Looked): PreflightReport {
  const { found, submission, isKeyed, mayRead, now } = looked
  const { content } = submission
  const problems = [...found.refusals.flatMap(toFindings), ...failureFindings(found)]
  const masked = maskRecipient(content)
  return {
    valid: problems.length === 0,
    problems,
    warnings: warningsOf(looked),
    recipient: toRecipient(found, content),
    sms: content.channel === 'sms' ? toSms(content.body) : null,
    email: content.channel === 'email' ? toEmail(found, content) : null,
    limits: found.limits.map((status) => toLimitStanding(status, masked, now)),
    quotas: mayRead ? found.quotas.map(toQuotaStanding) : null,
    sender: toSender(found, content),
    route: mayRead ? toRoute(found, now) : null,
    queue: mayRead ? (found.depth ?? null) : null,
    idempotency: isKeyed ? toIdempotency(found) : null,
    would_send: toVerdict(looked),
  }
}

/** The request could not be read, so there is nothing to look at. */
export const toInvalidReport = (refusal: Refusal): PreflightReport => ({
  valid: false,
  problems: toFindings(refusal),
  warnings: [],
  recipient: null,
  sms: null,
  email: null,
  limits: [],
  quotas: null,
  sender: null,
  route: null,
  queue: null,
  idempotency: null,
  would_send: {
    accepted: false,
    refusal: toRefusalView(refusal),
    at: null,
    provider: null,
    text: refusedText(refusal),
  },
})

/** One for each field that the refusal names. */
function toFindings({ code, message, details }: Refusal): Finding[] {
  const publicCode = publicCodeOf(code)
  if (!isFieldProblems(details)) return [{ path: pathOf(code), message, code: publicCode }]
  return details.map((problem) => ({ path: problem.path, message: problem.message, code: problem.code ?? publicCode }))
}

const isFieldProblems = (details: unknown): details is readonly FieldProblem[] =>
  Array.isArray(details) && details.length > 0

const pathOf = (code: Refusal['code']): string => (code === 'IDEMPOTENCY_MISMATCH' ? '/idempotency_key' : '')

function failureFindings({ failure, verdict }: Preflight): Finding[] {
  if (failure === undefined || (verdict.kind === 'accepted' && verdict.accepted.replayed)) return []
  return [{ path: failure.check === 'TEMPLATE' ? '/html' : '', message: failure.detail, code: failure.code }]
}

function warningsOf({ found: { plan, providers }, submission: { content }, mayRead, now }: Looked): Finding[] {
  const warning = plan && numberWarning(plan)
  const path =
    content.recipientExternalId !== undefined
      ? '/recipient_external_id'
      : content.recipientId !== undefined
        ? '/recipient_id'
        : '/to'
  const at = callableAt(providers, now)
  const isTooLate = content.expiresAt !== undefined && at !== undefined && content.expiresAt <= at
  const isNoneUp = mayRead && providers.length > 0 && !providers.some(isUp)
  return [
    ...(warning === undefined ? [] : [{ path, message: warning, code: 'INVALID_NUMBER' }]),
    ...(isNoneUp
      ? [{ path: '', message: 'would wait: no provider of its route can be called now', code: 'NO_PROVIDER_AVAILABLE' }]
      : []),
    ...(isTooLate ? [{ path: '/expires_at', message: TOO_LATE, code: 'EXPIRED' }] : []),
  ]
}

const TOO_LATE = 'passes before a provider of its route can be called'

function toRecipient(
  { plan, suppressed }: Preflight,
  { channel, to, recipientId }: Content,
): PreflightReport['recipient'] {
  const isUser = channel === 'sms' && isUserAddress(to)
  return {
    kind: channel === 'email' ? 'email' : isUser ? 'user' : 'phone',
    country: (channel === 'sms' ? countryOf(to) : undefined) ?? null,
    number_type: plan?.type ?? null,
    suppressed: suppressed.length > 0,
    recipient_id: recipientId ?? null,
  }
}

const MOST_CHARACTERS = 10

function toSms(body: string): PreflightReport['sms'] {
  const { encoding, segments, units } = toSegmentation(body)
  return { encoding, segments, units, characters_forcing_ucs2: nonGsmCharacters(body).slice(0, MOST_CHARACTERS) }
}

const SUPPRESSED: Pick<CheckFailed, 'check' | 'detail'> = { check: 'RECIPIENT', detail: 'an address is suppressed' }

function toEmail({ failure, suppressed }: Preflight, content: EmailContent): PreflightReport['email'] {
  const failed = suppressed.length > 0 ? SUPPRESSED : failure
  const at = failed === undefined ? -1 : CHECKS.indexOf(failed.check)
  const checks = CHECKS.map((check, index) => ({
    check,
    passed: at === -1 || index < at ? true : index === at ? false : null,
    detail: index === at ? (failed?.detail ?? null) : null,
  }))
  return { size: bytesOf(content), checks }
}

function bytesOf({ html, text = '', attachments = [] }: EmailContent): number {
  const attached = attachments.reduce((sum, { content }) => sum + Buffer.byteLength(content, 'base64'), 0)
  return Buffer.byteLength(html) + Buffer.byteLength(text) + attached
}

const toSender = ({ senderProblem }: Preflight, { from }: Content): PreflightReport['sender'] =>
  from === undefined ? null : { allowed: senderProblem === undefined, reason: senderProblem?.message ?? null }

/** There may be any number of other routes. */
const MOST_ROUTES = 20

function toRoute({ resolved, providers }: Preflight, now: Instant): PreflightReport['route'] {
  if (resolved?.route === undefined) return null
  const { route, excluded } = resolved
  const others = excluded.slice(0, MOST_ROUTES).map((other) => `${other.route.id}: ${REASONS[other.why]}`)
  return { id: route.id, reasons: [...conditionsOf(route), ...others], providers: toProviderViews(providers, now) }
}

/** Why the route matches: each condition that it has. */
function conditionsOf({ id, prefix, sender, kind, tenantId }: Route): readonly string[] {
  if (id === TEST) return [REASONS.test_mode]
  const conditions = [
    prefix === undefined ? [] : [`its prefix ${prefix} matches`],
    sender === undefined ? [] : ['it is for this sender'],
    kind === undefined ? [] : [`it is for ${kind}`],
    tenantId === undefined ? [] : ['it is for this tenant'],
  ].flat()
  return conditions.length === 0 ? ['it takes every message of its channel'] : conditions
}

function toIdempotency({ verdict }: Preflight): PreflightReport['idempotency'] {
  if (verdict.kind === 'refused')
    return { status: verdict.refusal.code === 'IDEMPOTENCY_MISMATCH' ? 'mismatch' : 'new', message_id: null }
  const { replayed, id } = verdict.accepted
  return replayed ? { status: 'replay', message_id: id } : { status: 'new', message_id: null }
}
