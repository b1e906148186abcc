/**
 * The settings of providers that `pombo init` asks for: those without which the provider does not work, and those that
 * almost everybody sets. The schemas of the kinds say what is valid. Every other setting is added to the file by hand.
 */
import type { TSchema } from 'typebox'
import { Check } from 'typebox/value'
import { KINDS } from '../config/file-schema.ts'

export type Kind = keyof typeof KINDS
export const KIND_NAMES = Object.keys(KINDS) as readonly Kind[]

/** In the order of the questions. */
const ASKED: Readonly<Record<Kind, readonly string[]>> = {
  simulator: [],
  twilio: ['account_sid', 'auth_token', 'from'],
  messagebird: ['access_key', 'signing_key', 'originator'],
  smpp: ['host', 'port', 'tls', 'system_id', 'password', 'sender'],
  ses: ['region', 'access_key_id', 'secret_access_key', 'from', 'configuration_set', 'topics'],
  smtp: ['host', 'port', 'user', 'password', 'from'],
}
const SECRETS = new Set(['auth_token', 'access_key', 'signing_key', 'password', 'access_key_id', 'secret_access_key'])

/** One setting of one kind of provider. */
export type Asked = Readonly<{
  kind: Kind
  key: string
  /** The option, without the dashes; a secret has none, because other users see the arguments of a process. */
  flag: string | undefined
  /** The environment variable of a secret, in which it is also stored. */
  variable: string | undefined
  /** What it is, for the question and the help. */
  about: string
  /** What a valid value looks like: completes "must be". */
  must: string
  parse: (text: string) => Value | undefined
}>
export type Value = string | number | boolean | readonly string[]

export const askedOf = (kind: Kind): readonly Asked[] => ASKED[kind].map((key) => toAsked(kind, key))

type Described = TSchema & Readonly<{ type?: string; description: string; must: string }>

function toAsked(kind: Kind, key: string): Asked {
  const schema = KINDS[kind].settings.properties[key] as Described
  const isSecret = SECRETS.has(key)
  return {
    kind,
    key,
    flag: isSecret ? undefined : `${kind}-${key}`.replaceAll('_', '-'),
    variable: isSecret ? `${kind}_${key}`.toUpperCase() : undefined,
    about: schema.description,
    must: schema.must,
    parse(text) {
      const value = toTyped(schema, text)
      return Check(schema, value) ? value : undefined
    },
  }
}

function toTyped({ type }: Described, text: string): Value {
  if (type === 'integer') return /^\d+$/.test(text) ? Number(text) : text
  if (type === 'boolean') return text === 'true' || (text === 'false' ? false : text)
  return type === 'array' ? text.split(',').map((item) => item.trim()) : text
}

/** Which settings a kind requires, and which it requires beside others. */
type Rules = Readonly<{ required?: readonly string[]; dependentRequired?: Readonly<Record<string, readonly string[]>> }>
const rulesOf = (kind: Kind): Rules => KINDS[kind].settings as Rules

/** Whether a provider with these settings needs this one too. */
export function isNeeded({ kind, key }: Asked, given: ReadonlySet<string>): boolean {
  const { required = [], dependentRequired = {} } = rulesOf(kind)
  return required.includes(key) || [...given].some((other) => dependentRequired[other]?.includes(key) === true)
}

/** Whether it makes sense only with another one that is asked for earlier and was left out. */
export function isPointless({ kind, key }: Asked, given: ReadonlySet<string>): boolean {
  const { dependentRequired = {} } = rulesOf(kind)
  const earlier = ASKED[kind].slice(0, ASKED[kind].indexOf(key))
  return (dependentRequired[key] ?? []).some((other) => earlier.includes(other) && !given.has(other))
}
