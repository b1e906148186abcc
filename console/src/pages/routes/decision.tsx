/** The routing decision: the message, its route, and the providers in the order of preference. */
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { COMMON_TEXTS } from '../../texts/common.ts'
import { ROUTES_TEXTS } from '../../texts/routes.ts'
import { Badge } from '../../ui/parts.tsx'
import type { Decision, ResolveRequest } from './data.ts'
import { conditionsOf, toSpan } from './route-text.ts'

const T = ROUTES_TEXTS.decision

type DecisionProps = Readonly<{ request: ResolveRequest; decision: Decision }>

export function DecisionPicture({ request, decision }: DecisionProps) {
  const { route, provider, candidates, excluded } = decision
  return (
    <div className="stack">
      <p role="status">
        {route === null ? T.noRoute : provider === null ? T.noProvider(route.id) : T.taken(route.id, provider)}
      </p>
      <ol className="decision" aria-label={T.label}>
        <Step title={T.message}>
          <Recipient request={request} prefix={route?.prefix ?? null} />
          <span className="soft">
            {request.type === 'flash_sms'
              ? ROUTES_TEXTS.kinds.flash_sms
              : COMMON_TEXTS.channels[request.channel ?? 'sms']}
          </span>
          {request.sender_id !== undefined && (
            <span className="soft">{ROUTES_TEXTS.words.from(request.sender_id)}</span>
          )}
        </Step>
        <Step title={T.route} tone={route === null ? 'bad' : 'good'}>
          {route === null ? (
            <Badge tone="bad">{T.none}</Badge>
          ) : (
            <>
              <strong>{route.id}</strong>
              <span className="soft">{conditionsOf(route)}</span>
            </>
          )}
        </Step>
        {route !== null && (
          <Step title={T.providers} tone={provider === null ? 'bad' : 'good'}>
            <Candidates candidates={candidates} />
          </Step>
        )}
      </ol>
      {decision.unknown !== null && <UnknownRules rules={decision.unknown} />}
      {excluded.length > 0 && <ExcludedRoutes routes={excluded} />}
    </div>
  )
}

type StepProps = Readonly<{ title: string; tone?: 'good' | 'bad'; children: ReactNode }>

const Step = ({ title, tone, children }: StepProps) => (
  <li className={`decision-step ${tone ?? ''}`}>
    <h3>{title}</h3>
    {children}
  </li>
)

/** Highlights the part that the route's prefix matches. */
function Recipient({ request: { to }, prefix }: Readonly<{ request: ResolveRequest; prefix: string | null }>) {
  if (prefix === null) return <strong className="mono">{to}</strong>
  const from = to.startsWith(prefix) ? 0 : to.length - prefix.length
  return (
    <strong className="mono">
      {to.slice(0, from)}
      <mark title={T.prefix}>{to.slice(from, from + prefix.length)}</mark>
      {to.slice(from + prefix.length)}
    </strong>
  )
}

const Candidates = ({ candidates }: Pick<Decision, 'candidates'>) => (
  <ol className="candidates">
    {candidates.map(({ provider, chosen, reason }) => (
      <li key={provider} className={chosen ? 'chosen' : ''}>
        <Link href="/providers">{provider}</Link>
        {chosen && <Badge tone="good">{T.chosen}</Badge>}
        <span className="soft candidate-why">{reason}</span>
      </li>
    ))}
  </ol>
)

/** What happens, by lane, when the outcome of an attempt is unknown. */
const UnknownRules = ({ rules }: Readonly<{ rules: NonNullable<Decision['unknown']> }>) => (
  <section>
    <h3 className="decision-subtitle">{T.unknown}</h3>
    <ul className="decision-list">
      {LANES.map((lane) => {
        const { wait_seconds: wait, policy, give_up_seconds: giveUp } = rules[lane]
        return (
          <li key={lane}>
            <strong>{lane}</strong>{' '}
            <span className="soft">{T.unknownRule(wait, ROUTES_TEXTS.policies[policy], toSpan(giveUp))}</span>
          </li>
        )
      })}
    </ul>
  </section>
)

const LANES = ['otp', 'transactional', 'bulk'] as const

const ExcludedRoutes = ({ routes }: Readonly<{ routes: Decision['excluded'] }>) => (
  <section>
    <h3 className="decision-subtitle">{T.excluded}</h3>
    <ul className="decision-list">
      {routes.map(({ id, reason }) => (
        <li key={id}>
          <strong>{id}</strong> <span className="soft">{reason}</span>
        </li>
      ))}
    </ul>
  </section>
)
