/**
 * The expected end of one message at one provider, by the provider's behaviour (rows) and the crash point (columns).
 *
 * `held`: the outcome is unknown, and the message waits for a receipt or a person. The last column applies at every
 * crash point if unknown outcomes are resolved, because the route resends or the provider confirms that it does not
 * have the attempt. A star needs a provider that returns our reference; with others the message is held.
 */
import type { UnknownPolicy } from '../../src/domain/routing/unknown.ts'

const TABLE = `
| the provider      | never      | before the claim | before the call | during the call | after the answer | after the outcome | with the job lost | once resolved    |
|-------------------|------------|------------------|-----------------|-----------------|------------------|-------------------|-------------------|------------------|
| accepts it        | delivered  | delivered        | held            | delivered*      | delivered        | delivered         | delivered         | delivered        |
| rejects it        | failed     | failed           | held            | held            | held             | failed            | failed            | failed           |
| rejects us        | failed     | failed           | held            | held            | held             | failed            | failed            | failed           |
| throttles         | delivered  | delivered        | held            | held            | held             | delivered         | delivered         | delivered        |
| answers 500       | delivered  | delivered        | held            | held            | held             | delivered         | delivered         | delivered        |
| answers 504       | held       | held             | held            | held            | held             | held              | held              | delivered        |
| hangs             | delivered* | delivered*       | held            | delivered*      | delivered*       | delivered*        | delivered*        | delivered        |
| hangs midway      | delivered* | delivered*       | held            | delivered*      | delivered*       | delivered*        | delivered*        | delivered        |
| answers late      | delivered* | delivered*       | held            | delivered*      | delivered*       | delivered*        | delivered*        | delivered        |
| disconnects early | delivered  | delivered        | held            | held            | held             | delivered         | delivered         | delivered        |
| disconnects       | delivered* | delivered*       | held            | delivered*      | delivered*       | delivered*        | delivered*        | delivered        |
| answers garbage   | delivered* | delivered*       | held            | delivered*      | delivered*       | delivered*        | delivered*        | delivered        |
| is unreachable    | dead       | dead             | held            | -               | held             | dead              | dead              | dead             |
`

/**
 * The provider's behaviour at the first call, and at later calls too if it rejects or is unreachable. After a 500 it
 * does not have the message; after a 504 of a proxy the outcome is unknown. `answers late`: after our timeout.
 * `disconnects early`: before it has the whole message.
 */
export const BEHAVIOURS = [
  'accepts it',
  'rejects it',
  'rejects us',
  'throttles',
  'answers 500',
  'answers 504',
  'hangs',
  'hangs midway',
  'answers late',
  'disconnects early',
  'disconnects',
  'answers garbage',
  'is unreachable',
] as const
export type Behaviour = (typeof BEHAVIOURS)[number]
export const HANGS: ReadonlySet<Behaviour> = new Set(['hangs', 'hangs midway', 'answers late'])

/**
 * Where the first process crashes. `during the call`: after the provider has read the request. `after the outcome`: the
 * outcome is stored and the old job remains until its lease expires. `with the job lost`: the old job is removed and
 * the next one is not stored.
 */
const CRASHES = [
  'never',
  'before the claim',
  'before the call',
  'during the call',
  'after the answer',
  'after the outcome',
  'with the job lost',
] as const
export type Crash = (typeof CRASHES)[number]

/** How we learn what the provider accepted: a receipt before the answer, a lookup, or a receipt long after. */
const FEEDBACK = ['early receipt', 'lookup', 'late receipt'] as const
export type Feedback = (typeof FEEDBACK)[number]

const POLICIES = ['hold', 'resend'] as const satisfies readonly UnknownPolicy[]
export type Policy = (typeof POLICIES)[number]

export type Case = Readonly<{ behaviour: Behaviour; crash: Crash; policy: Policy; feedback: Feedback }>

const ENDS = ['delivered', 'failed', 'dead', 'held'] as const
export type End = (typeof ENDS)[number]

const RESOLVED = 'once resolved'
const IMPOSSIBLE = '-'
const STAR = '*'

const cells = new Map(
  toRows(TABLE).flatMap(([behaviour, ...ends], _, [head = []]) =>
    head.slice(1).map((column, index) => [`${behaviour} | ${column}`, ends[index]] as const),
  ),
)

function toRows(table: string): readonly (readonly string[])[] {
  const lines = table.split('\n').filter((line) => line.startsWith('| '))
  return lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

/** An unreachable provider never reads a request. */
const isPossible = ({ behaviour, crash }: Case): boolean => cells.get(`${behaviour} | ${crash}`) !== IMPOSSIBLE

export type Traits = Readonly<{
  /** A lookup states reliably that the provider does not have an attempt. */
  confirmsAbsence: boolean
  /** Its reports contain our reference, so that they prove which attempt it has. */
  returnsReference: boolean
  /** It can be queried for an attempt. */
  supportsLookup: boolean
}>

export function endOf(
  { behaviour, crash, policy, feedback }: Case,
  { confirmsAbsence, returnsReference }: Traits,
): End {
  const isKnown = policy === 'resend' || (confirmsAbsence && canLookUp(feedback))
  const cell = cells.get(`${behaviour} | ${isKnown ? RESOLVED : crash}`) ?? ''
  if (cell.endsWith(STAR) && !returnsReference) return 'held'
  const end = ENDS.find((one) => cell.replace(STAR, '') === one)
  if (end === undefined) throw new Error(`the table has no end for "${behaviour}" with a crash "${crash}"`)
  return end
}

/** With a late receipt there is no lookup: the receipt must be the only feedback. */
export const canLookUp = (feedback: Feedback): boolean => feedback !== 'late receipt'

export function casesOf(behaviour: Behaviour, { supportsLookup }: Traits): readonly Case[] {
  const possible = FEEDBACK.filter((feedback) => supportsLookup || feedback !== 'lookup')
  const all = CRASHES.flatMap((crash) =>
    POLICIES.flatMap((policy) => possible.map((feedback) => ({ behaviour, crash, policy, feedback }))),
  )
  return all.filter(isPossible)
}

export const nameOf = ({ behaviour, crash, policy, feedback }: Case): string =>
  `${behaviour}, crash ${crash}, ${policy}, ${feedback}`
