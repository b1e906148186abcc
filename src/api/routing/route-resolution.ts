/** Explains which route and provider a message would use now, and why the others are not used. */
import { type Static, Type } from 'typebox'
import type { Caller } from '../../domain/access/caller.ts'
import { isTestTenant } from '../../domain/access/test-mode.ts'
import { parseEmailAddress } from '../../domain/email/address.ts'
import { parseMessageId } from '../../domain/ids.ts'
import { LANES } from '../../domain/message/message.ts'
import { parsePhoneNumber } from '../../domain/message/phone-number.ts'
import { parseSenderId } from '../../domain/message/sender-id.ts'
import { toUnknownFields } from '../../domain/routing/route-fields.ts'
import type { Addressed, Route, WhyNot } from '../../domain/routing/routing.ts'
import { unknownRuleOf } from '../../domain/routing/unknown.ts'
import { type Candidate, type ResolveDeps, resolveRoute } from '../../flows/send/resolve-route.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { toIso } from '../../lib/time.ts'
import type { Guard } from '../http/auth.ts'
import { type Api, callerOf } from '../http/context.ts'
import { Enums } from '../http/enums.ts'
import { MessageIdText, namedObject, nullable, responses } from '../http/schemas.ts'
import { refuseFields } from '../http/validation.ts'
import { RouteView, toRouteView, UnknownOutcomePolicy } from './route-schemas.ts'

export type ResolutionDeps = ResolveDeps & Readonly<{ guard: Guard }>

export function routeResolutionRoutes(app: Api, deps: ResolutionDeps): void {
  app.post('/v1/routes/resolve', { schema: RESOLVE, onRequest: deps.guard('messages:read') }, async (request) => {
    const id = parseMessageId(request.body.message_id ?? '')
    const { route, candidates, excluded } = resolveRoute(deps, readMessage(callerOf(request), request.body), id)
    return {
      route: route === undefined ? null : toView(callerOf(request), route),
      unknown: route === undefined ? null : toUnknownRules(route),
      provider: candidates.find(({ verdict }) => verdict.kind === 'chosen')?.provider ?? null,
      candidates: candidates.map(({ provider, verdict, share }) => ({
        provider,
        chosen: verdict.kind === 'chosen',
        reason: toReason(verdict, share),
      })),
      excluded: excluded.map(({ route, why }) => ({ id: route.id, reason: REASONS[why] })),
    }
  })
}

/** In test mode no route applies but the built-in one. */
const toView = ({ tenantId }: Caller, route: Route) =>
  isTestTenant(tenantId) ? { ...toRouteView(route), source: 'built_in' } : toRouteView(route)

const toUnknownRules = (route: Route) =>
  Object.fromEntries(LANES.map((lane) => [lane, toUnknownFields(unknownRuleOf(route, lane))]))

function readMessage({ tenantId }: Caller, body: Static<typeof ResolveBody>): Addressed {
  const { to, channel = 'sms', type = 'sms', sender_id } = body
  const { parseAddress, addresses, parseSender, senders } = CHANNEL[channel]
  const address = parseAddress(to)
  const from = sender_id === undefined ? undefined : parseSender(sender_id)
  if (address === undefined) throw refuseFields([{ path: '/to', message: `must be ${addresses}` }])
  if (sender_id !== undefined && from === undefined) {
    throw refuseFields([{ path: '/sender_id', message: `must be ${senders}` }])
  }
  const kind: Addressed['kind'] = channel === 'email' ? 'email' : type
  return omitUndefined({ tenantId, channel, kind, to: address, from })
}

const CHANNEL = {
  sms: {
    parseAddress: parsePhoneNumber,
    addresses: 'a phone number in E.164 format, for example +15005550006',
    parseSender: parseSenderId,
    senders: 'a sender id of 1 to 20 characters',
  },
  email: {
    parseAddress: parseEmailAddress,
    addresses: 'an email address',
    parseSender: parseEmailAddress,
    senders: 'an email address',
  },
}

export const REASONS: Readonly<Record<WhyNot, string>> = {
  channel: 'for another channel',
  tenant: 'for another tenant',
  kind: 'for another kind of message',
  sender: 'for another sender',
  prefix: 'prefix does not match',
  shorter_prefix: 'shorter prefix than the chosen route',
  fewer_conditions: 'fewer conditions than the chosen route',
  listed_later: 'matches as well as the chosen route, but is listed later',
  providers: 'names no provider that this tenant may use',
  test_mode: 'messages in test mode only go to the simulator',
}

function toReason(verdict: Candidate['verdict'], share: number | undefined): string {
  const drawn = share === undefined ? '' : `; drawn for ${toPercent(share)} of messages`
  switch (verdict.kind) {
    case 'chosen':
      return `first available provider${drawn}`
    case 'cut_off':
      return `not connected${drawn}`
    case 'held':
      return `circuit breaker open until ${toIso(verdict.until)}${drawn}`
    case 'later':
      return `fallback${drawn}`
    case 'not_set_up':
      return 'not configured'
  }
}

const toPercent = (share: number): string => `${Math.round(share * 1000) / 10}%`

const ResolveBody = namedObject(
  'ResolveRouteRequest',
  {
    to: Type.String({
      description: 'A phone number in E.164 format, or an email address.',
      maxLength: 254,
      examples: ['+5511987654321'],
    }),
    channel: Type.Optional(Enums.Channel({ description: 'Defaults to `sms`.' })),
    type: Type.Optional(Enums.SmsType({ description: 'Defaults to `sms`.' })),
    sender_id: Type.Optional(Type.String({ minLength: 1, maxLength: 254 })),
    message_id: Type.Optional(
      Type.Unsafe<string>({
        ...MessageIdText,
        description:
          'The id of the message. With weighted providers it decides which is drawn; without it, the provider with the highest weight is assumed.',
      }),
    ),
  },
  { additionalProperties: false },
)

const Reason = Type.String({ examples: ['prefix does not match'] })
const CandidateView = namedObject('RouteCandidate', { provider: Type.String(), chosen: Type.Boolean(), reason: Reason })
const ExcludedView = namedObject('ExcludedRoute', { id: Type.String(), reason: Reason })

const RESOLVE = {
  operationId: 'resolveRoute',
  tags: ['routes'],
  summary: 'Resolve the route of a message',
  description:
    'Returns the route and provider that a message would use now, and why others are not used. Nothing is sent or counted. `provider` is null if no route matches or none of its providers is available.',
  body: ResolveBody,
  response: responses(
    {
      200: {
        description: 'The result.',
        schema: namedObject('RouteResolution', {
          route: nullable(RouteView),
          unknown: nullable(
            Type.Record(Enums.Lane(), UnknownOutcomePolicy, {
              title: 'UnknownOutcomePolicyByLane',
              description: 'What the route does about an unknown outcome, by lane.',
            }),
          ),
          provider: nullable(Type.String({ examples: ['twilio'] })),
          candidates: Type.Array(CandidateView, {
            description: 'The providers of the route, in the order they are tried.',
          }),
          excluded: Type.Array(ExcludedView, {
            description: 'The other routes, and why they are not used.',
          }),
        }),
      },
    },
    'VALIDATION_ERROR',
  ),
}
