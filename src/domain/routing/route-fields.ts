/** The external form of a route, in the operator's file and in the API, and its conversion to a route. */

import { omitUndefined } from '../../lib/omit-undefined.ts'
import { seconds } from '../../lib/time.ts'
import { parseEmailAddress, parseEmailDomain } from '../email/address.ts'
import type { OperatorId, ProviderName, RouteId, TenantId } from '../ids.ts'
import type { Channel } from '../message/message.ts'
import { parseSenderId } from '../message/sender-id.ts'
import type { FieldProblem } from '../requests/request-fields.ts'
import { RETRY, type RetryPolicy } from './retry.ts'
import type { Route } from './routing.ts'
import type { UnknownPolicy, UnknownRule } from './unknown.ts'

export const MAX_WEIGHT = 1_000
/** Thirty days. */
export const MOST_GIVE_UP_SECONDS = 30 * 86_400

/** A provider's name, or its name and weight. */
export type Listed = ProviderName | Readonly<{ name: ProviderName; weight: number }>

/** The fields as received, their JSON types already checked. */
export type RouteFields = Readonly<{
  id: RouteId
  channel: Channel
  tenant_id?: TenantId
  kind?: 'sms' | 'flash_sms'
  sender?: string
  prefix?: string
  operator_id?: OperatorId
  providers: readonly Listed[]
  retry?: Readonly<{
    delays_seconds?: readonly number[]
    max_attempts?: number
    jitter?: number
    failover?: boolean
  }>
  unknown?: UnknownFields
}>

/** The route's rule for unknown outcomes; missing fields default to the lane's. */
type UnknownFields = Readonly<{ wait_seconds?: number; policy?: UnknownPolicy; give_up_seconds?: number }>

/** The problems with a route's conditions, for its channel. */
export function conditionProblems({ channel, kind, sender, prefix }: RouteFields): readonly FieldProblem[] {
  const { isSender, senders, isPrefix, prefixes } = CONDITIONS[channel]
  return [
    ...(channel === 'email' && kind !== undefined ? [{ path: '/kind', message: 'is for SMS; leave it out' }] : []),
    ...(sender === undefined || isSender(sender) ? [] : [{ path: '/sender', message: `must be ${senders}` }]),
    ...(prefix === undefined || isPrefix(prefix) ? [] : [{ path: '/prefix', message: `must be ${prefixes}` }]),
  ]
}

const CONDITIONS = {
  sms: {
    isSender: (text: string) => parseSenderId(text) === text,
    senders: 'a sender id of 1 to 20 characters',
    isPrefix: (text: string) => /^\+[1-9]\d{0,14}$/.test(text),
    prefixes: 'a phone number prefix, for example +55',
  },
  email: {
    isSender: (text: string) => parseEmailAddress(text) === text,
    senders: 'an email address',
    isPrefix: (text: string) => parseEmailDomain(text) === text,
    prefixes: 'a domain in lower case, for example example.com',
  },
} as const satisfies Record<Channel, object>

/** A configured provider and its channels. */
export type Able = Readonly<{ name: ProviderName; channels: readonly Channel[] }>

/** The problems with a route's providers, given the configured ones and those that the tenant may use, if not all. */
export function providerProblems(
  { channel, providers: listed }: Pick<RouteFields, 'channel' | 'providers'>,
  able: readonly Able[],
  allowed: readonly ProviderName[] = able.map(({ name }) => name),
): readonly FieldProblem[] {
  const names = listed.map(toName)
  const carriers = able.filter(({ channels }) => channels.includes(channel)).map(({ name }) => name)
  const setUp = carriers.filter((name) => allowed.includes(name))
  const whole = wholeProblem(listed)
  return [
    ...(whole === undefined ? [] : [{ path: '/providers', message: whole }]),
    ...names.flatMap((name, index) => {
      const path = `/providers/${index}`
      if (!able.some((one) => one.name === name)) return [{ path, message: `is not a provider; ${choose(setUp)}` }]
      if (!carriers.includes(name)) return [{ path, message: `does not carry ${channel}; ${choose(setUp)}` }]
      if (!setUp.includes(name)) return [{ path, message: `is not allowed for this tenant; ${choose(setUp)}` }]
      return names.indexOf(name) < index ? [{ path, message: 'is already listed' }] : []
    }),
  ]
}

const choose = (names: readonly ProviderName[]): string =>
  names.length === 0 ? 'no configured provider does' : `choose among ${names.join(', ')}`

const toName = (one: Listed): ProviderName => (typeof one === 'string' ? one : one.name)

function wholeProblem(listed: readonly Listed[]): string | undefined {
  const weights = toWeights(listed)
  if (weights.length > 0 && weights.length < listed.length) {
    return 'mixes two forms; give every provider a weight, or list all by name in order of preference'
  }
  return weights.length > 0 && weights.every((weight) => weight === 0) ? 'has no weight above 0; raise one' : undefined
}

const toWeights = (listed: readonly Listed[]): readonly number[] =>
  listed.flatMap((one) => (typeof one === 'string' ? [] : [one.weight]))

export function toRoute(fields: RouteFields): Route {
  const { tenant_id: tenantId, operator_id: operatorId, providers, retry, unknown, ...conditions } = fields
  const [first, ...rest] = providers.map(toName)
  if (first === undefined) throw new Error('a route without providers passed its schema')
  const weights = toWeights(providers)
  return omitUndefined({
    ...conditions,
    providers: [first, ...rest] as const,
    weights: weights.length === 0 ? undefined : weights,
    tenantId,
    operatorId,
    retry: retry && toRetry(retry, conditions.channel),
    unknown: unknown === undefined || Object.keys(unknown).length === 0 ? undefined : toUnknown(unknown),
  })
}

const toUnknown = ({ wait_seconds: wait, policy, give_up_seconds: giveUp }: UnknownFields): Partial<UnknownRule> =>
  omitUndefined({
    wait: wait === undefined ? undefined : seconds(wait),
    policy,
    giveUp: giveUp === undefined ? undefined : seconds(giveUp),
  })

export const toUnknownFields = ({ wait, policy, giveUp }: Partial<UnknownRule>): UnknownFields =>
  omitUndefined({ wait_seconds: wait && wait / 1000, policy, give_up_seconds: giveUp && giveUp / 1000 })

function toRetry(retry: NonNullable<RouteFields['retry']>, channel: RouteFields['channel']): RetryPolicy {
  const { delays, maxAttempts, jitter } = RETRY[channel]
  return omitUndefined({
    delays: retry.delays_seconds?.map(seconds) ?? delays,
    maxAttempts: retry.max_attempts ?? maxAttempts,
    jitter: retry.jitter ?? jitter,
    failover: retry.failover || undefined,
  })
}

/** The external form of a route; defaults are left out. */
export function toFields({ id, channel, kind, sender, prefix, operatorId, providers, weights, retry, unknown }: Route) {
  return omitUndefined({
    id,
    channel,
    kind: kind === 'email' ? undefined : kind,
    sender,
    prefix,
    operator_id: operatorId,
    providers:
      weights === undefined ? [...providers] : providers.map((name, nth) => ({ name, weight: weights[nth] ?? 0 })),
    retry: retry && toRetryFields(retry),
    unknown: unknown && toUnknownFields(unknown),
  }) satisfies RouteFields
}

const toRetryFields = ({ delays, maxAttempts, jitter, failover }: RetryPolicy) => ({
  delays_seconds: delays.map((delay) => delay / 1000),
  max_attempts: maxAttempts,
  jitter,
  failover: failover === true,
})
