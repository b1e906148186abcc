/** What the send would answer now, and what would become of the message then. */
import { firstCallableAt, isUp, type ProviderStanding } from '../../domain/explanation/circumstances.ts'
import { plural, toTime } from '../../domain/explanation/words.ts'
import { REFUSALS, type Refusal } from '../../flows/errors.ts'
import type { Preflight } from '../../flows/explain/preflight.ts'
import type { Submission } from '../../flows/send/accept.ts'
import { type Instant, toIso } from '../../lib/time.ts'
import { toProblem } from '../http/problem.ts'
import type { PreflightReport } from './preflight-schemas.ts'

/** `mayRead`: the caller may see routes, providers and quotas. `isKeyed`: it gave an idempotency key. */
export type Looked = Readonly<{
  found: Preflight
  submission: Submission
  isKeyed: boolean
  mayRead: boolean
  now: Instant
}>

type Verdict = PreflightReport['would_send']

const NOT_CALLED = { at: null, provider: null } as const

export function toVerdict(looked: Looked): Verdict {
  const { verdict, failure } = looked.found
  if (verdict.kind === 'refused') {
    const { refusal } = verdict
    return { accepted: false, refusal: toRefusalView(refusal), ...NOT_CALLED, text: refusedText(refusal) }
  }
  const accepted = { accepted: true, refusal: null } as const
  if (verdict.accepted.replayed) {
    const text = 'Pombo would return the response of the first call with this idempotency key, and send nothing.'
    return { ...accepted, ...NOT_CALLED, text }
  }
  if (failure !== undefined) {
    const text = `Pombo would accept the message, but not send it: ${failure.detail}.`
    return { ...accepted, ...NOT_CALLED, text }
  }
  return { ...accepted, ...toCall(looked) }
}

function toCall(looked: Looked): Pick<Verdict, 'at' | 'provider' | 'text'> {
  const { found, mayRead, now } = looked
  const at = callableAt(found.providers, now)
  const provider = mayRead ? (found.providers.find(isUp)?.name ?? null) : null
  const by = provider === null ? '' : ` by ${provider}`
  const text = at === now ? `Pombo would accept the message and send it${by} ${turnIn(looked)}.` : waitText(at, now)
  return { at: at === undefined ? null : toIso(at), provider, text }
}

/** Workers take the messages of a lane in turn. */
function turnIn({ found: { depth }, mayRead }: Looked): string {
  if (!mayRead || depth === undefined || depth.ready === 0) return 'at once'
  return `in turn, with ${plural(depth.ready, 'message')} of the tenant that ${depth.ready === 1 ? 'is' : 'are'} due in the lane ${depth.lane}`
}

function waitText(at: Instant | undefined, now: Instant): string {
  const when = at === undefined ? '' : `, at ${toTime(at, now)} at the earliest`
  return `Pombo would accept the message and send it as soon as a provider of its route can be called${when}.`
}

/** When the first provider can be called: now, or when a circuit breaker permits it. */
export const callableAt = (providers: readonly ProviderStanding[], now: Instant): Instant | undefined =>
  providers.some(isUp) ? now : firstCallableAt(providers)

export const refusedText = ({ code, message }: Refusal): string =>
  `Pombo would answer ${REFUSALS[code].status}: ${message}.`

export function toRefusalView(refusal: Refusal) {
  const { error_code, status, detail, retry_after } = toProblem(refusal)
  return { error_code, status, detail, ...(retry_after !== undefined && { retry_after }) }
}
