/** What a person can do about a message, the most useful first, with the call that does it. */
import type { Scope } from '../access/scope.ts'
import { liveTenantOf } from '../access/test-mode.ts'
import { toErrorAdvice } from '../message/error-advice.ts'
import { blameOf } from '../message/error-blame.ts'
import { isHandoffOver } from '../message/states.ts'
import { isExpired } from '../message/step.ts'
import type { Circumstances } from './circumstances.ts'
import { providerName } from './numbers.ts'
import type { Situation } from './situation.ts'

export const ACTIONS = [
  'wait',
  'resend',
  'replay',
  'resolve',
  'send_new',
  'erase',
  'reset_breaker',
  'check_provider',
  'change_route',
  'activate_tenant',
] as const
export type ActionName = (typeof ACTIONS)[number]

/** Without a call it is done elsewhere, or by waiting. */
export type Action = Readonly<{ action: ActionName; text: string; call?: ActionCall }>
export type ActionCall = Readonly<{
  method: 'GET' | 'POST' | 'PATCH'
  path: string
  body?: Readonly<Record<string, unknown>>
  scope: Scope
}>

export function actionsOf(situation: Situation, circumstances: Circumstances): readonly Action[] {
  switch (situation) {
    case 'queued':
    case 'retry_scheduled':
    case 'gateway_starting':
      return [WAIT, ...toStop(circumstances)]
    case 'sending':
    case 'attempt_abandoned':
    case 'deadline_passed':
      return [WAIT]
    case 'waiting_for_account':
      return [WAIT, checkProvider(circumstances), ...toStop(circumstances)]
    case 'no_provider':
      return [WAIT, ...resetBreakers(circumstances), CHECK_PROVIDERS, ...toStop(circumstances)]
    case 'no_route':
      return [...changeRoute(circumstances), ...toStop(circumstances)]
    case 'tenant_suspended':
      return [activateTenant(circumstances), ...toStop(circumstances)]
    case 'content_erased':
      return [sendNew('Send a new message: this one has no content any more.')]
    case 'unknown_outcome':
    case 'unknown_held':
      return [WAIT, ...resolutions(circumstances)]
    case 'unresolved':
      return resolutions(circumstances)
    case 'awaiting_report':
      return [WAIT, ...resendOrNot(circumstances, 'The provider has it, so the recipient may receive it twice.')]
    case 'report_timed_out':
      return [
        checkProvider(circumstances),
        ...resendOrNot(circumstances, 'It may have been delivered, so the recipient may receive it twice.'),
      ]
    case 'delivered':
    case 'sent_without_reports':
    case 'complaint':
      return []
    case 'bounced':
    case 'dropped':
    case 'failed':
    case 'invalid':
    case 'dead_letter':
    case 'expired':
    case 'resolved_not_sent':
      return afterFailure(circumstances)
  }
}

const WAIT: Action = { action: 'wait', text: 'Wait: Pombo goes on by itself.' }
const CHECK_PROVIDERS: Action = {
  action: 'check_provider',
  text: 'Find out why the providers cannot be called.',
  call: { method: 'GET', path: '/v1/providers', scope: 'messages:read' },
}

const checkProvider = (circumstances: Circumstances): Action => ({
  action: 'check_provider',
  text: `Ask ${providerName(circumstances)} what became of the message, by its provider_message_id.`,
})

const sendNew = (text: string): Action => ({ action: 'send_new', text })

/** Nothing else keeps a message from being sent. */
const toStop = ({ state }: Circumstances): readonly Action[] =>
  state.erased
    ? []
    : [
        {
          action: 'erase',
          text: 'Erase it to keep it from being sent. Its content cannot be recovered.',
          call: { method: 'POST', path: `/v1/messages/${state.id}/erase`, scope: 'messages:write' },
        },
      ]

const resetBreakers = ({ providers }: Circumstances): readonly Action[] =>
  providers.flatMap(({ name, heldUntil }) =>
    heldUntil === undefined
      ? []
      : [
          {
            action: 'reset_breaker' as const,
            text: `Close the circuit breaker of ${name}, if it works again. This concerns all tenants.`,
            call: {
              method: 'POST' as const,
              path: `/v1/providers/${name}/breaker`,
              body: { action: 'reset' },
              scope: 'operator' as const,
            },
          },
        ],
  )

function changeRoute({ route, state }: Circumstances): readonly Action[] {
  if (route === 'no_simulator')
    return [{ action: 'change_route', text: 'Ask an operator to configure a simulator for messages in test mode.' }]
  const body = { id: 'another', channel: state.channel, providers: ['…'] }
  const call = { method: 'POST', path: '/v1/routes', body, scope: 'admin' } as const
  return [
    {
      action: 'change_route',
      text: 'Add a route for it, or change one: POST /v1/routes/resolve says why none fits.',
      call,
    },
  ]
}

const activateTenant = ({ state: { tenantId } }: Circumstances): Action => ({
  action: 'activate_tenant',
  text: 'Ask an operator to activate the tenant.',
  call: {
    method: 'PATCH',
    path: `/v1/tenants/${liveTenantOf(tenantId)}`,
    body: { state: 'active' },
    scope: 'operator',
  },
})

/** The provider may have it: only a person can know more than Pombo. */
function resolutions(circumstances: Circumstances): readonly Action[] {
  const { state, now } = circumstances
  const name = providerName(circumstances)
  const resolve = (as: string, text: string): Action => ({
    action: 'resolve',
    text,
    call: { method: 'POST', path: `/v1/messages/${state.id}/resolve`, body: { as }, scope: 'messages:write' },
  })
  const mayResend = !state.erased && !isExpired(state, now)
  return [
    resolve('sent', `Record that ${name} has it, if you know that.`),
    resolve('not_sent', `Record that ${name} does not have it, if you know that. The message fails.`),
    ...(mayResend ? [resolve('resend', 'Send it again now. The recipient may receive it twice.')] : []),
  ]
}

const isResendable = ({ state, now }: Circumstances): boolean =>
  isHandoffOver(state.handoffState) && !state.erased && !isExpired(state, now)

function resendOrNot(circumstances: Circumstances, danger: string): readonly Action[] {
  if (!isResendable(circumstances)) return []
  return [resend(circumstances, `Resend it. ${danger}`)]
}

const resend = ({ state }: Circumstances, text: string): Action => ({
  action: 'resend',
  text,
  call: { method: 'POST', path: `/v1/messages/${state.id}/resend`, scope: 'messages:write' },
})

/** A resend of what the sender or the recipient is the cause of would fail again. */
function afterFailure(circumstances: Circumstances): readonly Action[] {
  const { state } = circumstances
  const advice = state.errorCode === undefined ? 'Send a new message.' : toErrorAdvice(state.errorCode, false).advice
  if (!isResendable(circumstances)) return [sendNew(advice)]
  const blame = state.errorCode === undefined ? 'provider' : blameOf(state.errorCode)
  if (state.dead) return [replay(circumstances, blame === 'provider' ? PROVIDER_FIRST : advice)]
  if (blame === 'message' || blame === 'recipient')
    return [sendNew(advice), resend(circumstances, 'Resend it as it is, if the cause is gone.')]
  return [resend(circumstances, advice)]
}

const PROVIDER_FIRST = 'Do it once the provider works again.'

const replay = ({ state }: Circumstances, advice: string): Action => ({
  action: 'replay',
  text: `Replay it with all its attempts. ${advice}`,
  call: { method: 'POST', path: `/v1/dead-letters/${state.id}/replay`, scope: 'messages:write' },
})
