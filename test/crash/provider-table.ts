/**
 * What may happen to one message at one provider, and how it then ends: the whole truth in one table.
 *
 * `held` is a message that waits for a receipt or a person, because nobody knows whether the provider has it.
 * The last column is how a message ends, wherever the process crashed, once no doubt stays a doubt: where the
 * route sends again, or where the provider can say for certain that it never got the attempt. A star marks what
 * only a provider that refers to our attempts can tell; of one that does not, the message is held.
 */
import type { UnknownPolicy } from '../../src/domain/routing/unknown.ts'

const TABLE = `
| the provider      | never      | before the claim | before the call | during the call | after the answer | after the outcome | with the job lost | once it is known |
|-------------------|------------|------------------|-----------------|-----------------|------------------|-------------------|-------------------|------------------|
| takes it          | delivered  | delivered        | held            | delivered*      | delivered        | delivered         | delivered         | delivered        |
| refuses it        | failed     | failed           | held            | held            | held             | failed            | failed            | failed           |
| blames itself     | failed     | failed           | held            | held            | held             | failed            | failed            | failed           |
| asks for patience | delivered  | delivered        | held            | held            | held             | delivered         | delivered         | delivered        |
| breaks            | delivered  | delivered        | held            | held            | held             | delivered         | delivered         | delivered        |
| lets a proxy fail | held       | held             | held            | held            | held             | held              | held              | delivered        |
| hangs             | delivered* | delivered*       | held            | delivered*      | delivered*       | delivered*        | delivered*        | delivered        |
| hangs half-way    | delivered* | delivered*       | held            | delivered*      | delivered*       | delivered*        | delivered*        | delivered        |
| answers late      | delivered* | delivered*       | held            | delivered*      | delivered*       | delivered*        | delivered*        | delivered        |
| hangs up early    | delivered  | delivered        | held            | held            | held             | delivered         | delivered         | delivered        |
| hangs up          | delivered* | delivered*       | held            | delivered*      | delivered*       | delivered*        | delivered*        | delivered        |
| babbles           | delivered* | delivered*       | held            | delivered*      | delivered*       | delivered*        | delivered*        | delivered        |
| is not there      | dead       | dead             | held            | -               | held             | dead              | dead              | dead             |
`

/**
 * What the provider does to the first call; to further ones too where it says no, or is not there. One that breaks
 * says so, and did not take the message; where a proxy before it fails, nobody can tell. It answers late when the call
 * has been given up; where it hangs up early, it cannot have all of the message.
 */
export const CONDUCTS = [
  'takes it',
  'refuses it',
  'blames itself',
  'asks for patience',
  'breaks',
  'lets a proxy fail',
  'hangs',
  'hangs half-way',
  'answers late',
  'hangs up early',
  'hangs up',
  'babbles',
  'is not there',
] as const
export type Conduct = (typeof CONDUCTS)[number]
export const HANGS: ReadonlySet<Conduct> = new Set(['hangs', 'hangs half-way', 'answers late'])

/**
 * Where the first process dies: before its claim or its call took effect, once the provider has read the
 * request, once it has the answer, or once the outcome is stored. Then its job stays until the lease is over, or
 * is gone without the one that was to follow it.
 */
export const CRASHES = [
  'never',
  'before the claim',
  'before the call',
  'during the call',
  'after the answer',
  'after the outcome',
  'with the job lost',
] as const
export type Crash = (typeof CRASHES)[number]

/** How we hear of what the provider took: by a receipt before the answer, by asking, or by a receipt long after. */
export const NEWS = ['an early receipt', 'a look-up', 'a late receipt'] as const
export type News = (typeof NEWS)[number]

export const POLICIES = ['hold', 'resend'] as const satisfies readonly UnknownPolicy[]
export type Policy = (typeof POLICIES)[number]

export type Case = Readonly<{ conduct: Conduct; crash: Crash; policy: Policy; news: News }>

const ENDS = ['delivered', 'failed', 'dead', 'held'] as const
export type End = (typeof ENDS)[number]

const KNOWN = 'once it is known'
const IMPOSSIBLE = '-'
const STAR = '*'

const cells = new Map(
  toRows(TABLE).flatMap(([conduct, ...ends], _, [head = []]) =>
    head.slice(1).map((column, place) => [`${conduct} | ${column}`, ends[place]] as const),
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

/** Nobody reads the request of a call that finds nobody. */
export const isPossible = ({ conduct, crash }: Case): boolean => cells.get(`${conduct} | ${crash}`) !== IMPOSSIBLE

/** What can be known of a provider. */
export type Traits = Readonly<{
  /** A look-up tells for certain what it never got. */
  denies: boolean
  /** Its reports refer to our attempts, so that one proves that it has the message. */
  refers: boolean
  /** It can be asked about an attempt. */
  answers: boolean
}>

export function endOf({ conduct, crash, policy, news }: Case, { denies, refers }: Traits): End {
  const isKnown = policy === 'resend' || (denies && canBeAsked(news))
  const cell = cells.get(`${conduct} | ${isKnown ? KNOWN : crash}`) ?? ''
  if (cell.endsWith(STAR) && !refers) return 'held'
  const end = ENDS.find((one) => cell.replace(STAR, '') === one)
  if (end === undefined) throw new Error(`the table does not say how "${conduct}" with a crash "${crash}" ends`)
  return end
}

/** Where a receipt is to come late, it must be the only way to hear of it. */
export const canBeAsked = (news: News): boolean => news !== 'a late receipt'

export function casesOf(conduct: Conduct, { answers }: Traits): readonly Case[] {
  const possible = NEWS.filter((news) => answers || news !== 'a look-up')
  const all = CRASHES.flatMap((crash) =>
    POLICIES.flatMap((policy) => possible.map((news) => ({ conduct, crash, policy, news }))),
  )
  return all.filter(isPossible)
}

export const nameOf = ({ conduct, crash, policy, news }: Case): string =>
  `${conduct}, crash ${crash}, ${policy}, ${news}`
