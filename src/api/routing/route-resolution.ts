/** Which route and provider a message would take now, and in words why the others are passed over. */
import { type Static, Type } from 'typebox'
import { parseEmailAddress } from '../../domain/email/address.ts'
import { parseMessageId } from '../../domain/ids.ts'
import { CHANNELS, LANES } from '../../domain/message/message.ts'
import { parsePhoneNumber } from '../../domain/message/phone-number.ts'
import { parseSenderId } from '../../domain/message/sender-id.ts'
import { toUnknownFields } from '../../domain/routing/route-fields.ts'
import type { Addressed, Route, WhyNot } from '../../domain/routing/routing.ts'
import { unknownRuleOf } from '../../domain/routing/unknown.ts'
import { type Candidate, type ResolveDeps, resolveRoute } from '../../flows/send/resolve-route.ts'
import { toIso } from '../../lib/time.ts'
import type { Guard } from '../http/auth.ts'
import { type Api, type Caller, callerOf } from '../http/context.ts'
import { answers, nullable, RequestId } from '../http/schemas.ts'
import { refuseFields } from '../http/validation.ts'
import { ShownRoute, toShown, Unknown } from './route-schemas.ts'

export type ResolutionDeps = ResolveDeps & Readonly<{ guard: Guard }>

export function routeResolutionRoutes(app: Api, deps: ResolutionDeps): void {
  app.post('/v1/routes/resolve', { schema: RESOLVE, onRequest: deps.guard('messages:read') }, async (request) => {
    const id = parseMessageId(request.body.message_id ?? '')
    const { route, candidates, excluded } = resolveRoute(deps, read(callerOf(request), request.body), id)
    return {
      route: route === undefined ? null : toShown(route),
      unknown: route === undefined ? null : toRules(route),
      provider: candidates.find(({ verdict }) => verdict.kind === 'chosen')?.provider ?? null,
      candidates: candidates.map(({ provider, verdict, share }) => ({
        provider,
        chosen: verdict.kind === 'chosen',
        reason: toReason(verdict, share),
      })),
      passed_over: excluded.map(({ route, why }) => ({ id: route.id, reason: WORDS[why] })),
    }
  })
}

/** What holds for an unknown outcome, lane by lane. */
const toRules = (route: Route) =>
  Object.fromEntries(LANES.map((lane) => [lane, toUnknownFields(unknownRuleOf(route, lane))]))

function read({ tenantId }: Caller, { to, channel = 'sms', type = 'sms', sender_id }: Static<typeof Asked>): Addressed {
  const { parseAddress, addresses, parseSender, senders } = CHANNEL[channel]
  const address = parseAddress(to)
  const from = sender_id === undefined ? undefined : parseSender(sender_id)
  if (address === undefined) throw refuseFields([{ path: '/to', message: `must be ${addresses}` }])
  if (sender_id !== undefined && from === undefined) {
    throw refuseFields([{ path: '/sender_id', message: `must be ${senders}` }])
  }
  const kind = channel === 'email' ? 'email' : type
  return { tenantId, channel, kind, to: address, ...(from === undefined ? {} : { from }) }
}

const CHANNEL = {
  sms: {
    parseAddress: parsePhoneNumber,
    addresses: 'a phone number in E.164, with its plus',
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

const WORDS: Readonly<Record<WhyNot, string>> = {
  channel: 'it is for another channel',
  tenant: 'it is for another tenant',
  kind: 'it is for another kind of message',
  sender: 'it is for another sender',
  prefix: 'its prefix does not match',
  shorter_prefix: 'its prefix is shorter than that of the route taken',
  fewer_conditions: 'it has fewer conditions than the route taken',
  listed_later: 'it fits as well as the route taken, and is listed later',
}

function toReason(verdict: Candidate['verdict'], share: number | undefined): string {
  const drawn = share === undefined ? '' : `; it is drawn for ${toPercent(share)} of the messages`
  switch (verdict.kind) {
    case 'chosen':
      return `it is the first that may be called${drawn}`
    case 'cut_off':
      return `no connection to it is up${drawn}`
    case 'held':
      return `its breaker is open until ${toIso(verdict.until)}${drawn}`
    case 'later':
      return `another comes before it${drawn}`
    case 'not_set_up':
      return 'it is not set up'
  }
}

const toPercent = (share: number): string => `${Math.round(share * 1000) / 10} %`

const Asked = Type.Object(
  {
    to: Type.String({
      description: 'A number in E.164, or for email an address.',
      maxLength: 254,
      examples: ['+5511987654321'],
    }),
    channel: Type.Optional(Type.Enum(CHANNELS, { description: '`sms` unless said otherwise.' })),
    type: Type.Optional(Type.Enum(['sms', 'flash_sms'], { description: '`sms` unless said otherwise.' })),
    sender_id: Type.Optional(Type.String({ minLength: 1, maxLength: 254 })),
    message_id: Type.Optional(
      Type.Unsafe<string>({
        ...RequestId,
        description:
          'The message that is meant. Where providers have weights, its id decides which is drawn; without, the heaviest is taken to be.',
      }),
    ),
  },
  { additionalProperties: false },
)

const Because = Type.String({ examples: ['its prefix does not match'] })

const RESOLVE = {
  operationId: 'resolveRoute',
  tags: ['routes'],
  summary: 'Which route and provider a message would take',
  description:
    'As things stand now, by the rules that sending goes by, and why others are passed over. Nothing is sent, and nothing is counted. `provider` is null where no route fits, or where none of its providers may be called now.',
  body: Asked,
  response: answers(
    {
      200: {
        description: 'What would happen.',
        schema: Type.Object({
          route: nullable(ShownRoute),
          unknown: nullable(
            Type.Record(Type.Enum(LANES), Type.Object(Unknown), {
              description: 'What the route does about an unknown outcome, by the lane of the message.',
            }),
          ),
          provider: nullable(Type.String({ examples: ['twilio'] })),
          candidates: Type.Array(Type.Object({ provider: Type.String(), chosen: Type.Boolean(), reason: Because }), {
            description: 'The providers of the route, in the order in which they are tried.',
          }),
          passed_over: Type.Array(Type.Object({ id: Type.String(), reason: Because }), {
            description: 'All other routes.',
          }),
        }),
      },
    },
    'VALIDATION_ERROR',
  ),
}
