/**
 * Searches messages by filters and by a text that may mean several things (domain/requests/search-text.ts): the first
 * interpretation that finds messages is the result. Each is a look-up in an index, so all but the words are tried at once.
 */
import type { AccountId, MessageId, TenantId } from '../../domain/ids.ts'
import type { Recipient } from '../../domain/message/message.ts'
import {
  type Interpretation,
  type InterpretationKind,
  interpret,
  type Terms,
} from '../../domain/requests/search-text.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { Filter, MessageIndex, Page, Query } from '../../ports/message-index.ts'
import type { Ids, KeyNamespace } from '../../ports/world.ts'
import { refuse } from '../errors.ts'

/** The keyed hash of a recipient, by which the index finds it. */
export type Blind = (tenantId: TenantId, recipient: Recipient) => string

export type SearchDeps = Readonly<{
  index: Pick<MessageIndex, 'search'>
  ids: Pick<Ids, 'keyedMessageId'>
  blind: Blind
}>

/** Idempotency keys are those of the account. */
export type TextQuery = Query & Readonly<{ accountId: AccountId; text?: string }>

/** `foundBy` is missing if nothing was found. */
export type Tried = Readonly<{ foundBy?: InterpretationKind; tried: readonly InterpretationKind[] }>
/** `search` is missing without a text; `filter` is all that the messages of the page have in common. */
export type Found = Page & Readonly<{ search?: Tried; filter?: Filter }>

type Find = (interpretation: Interpretation, cursor?: string) => Promise<Found>

export async function search(deps: SearchDeps, { text, accountId, cursor, ...query }: TextQuery): Promise<Found> {
  const find: Find = async ({ terms }, from) => {
    const filter = narrow(query.filter, toFilter(deps, { tenantId: query.tenantId, accountId }, terms))
    if (filter === undefined) return NOTHING
    return { ...(await deps.index.search(omitUndefined({ ...query, filter, cursor: from }))), filter }
  }
  if (text === undefined)
    return { ...(await deps.index.search(omitUndefined({ ...query, cursor }))), filter: query.filter }
  return cursor === undefined ? findFirst(interpret(text), find) : findNext(interpret(text), find, cursor)
}

const NOTHING: Found = { rows: [] }

async function findFirst(meant: readonly Interpretation[], find: Find): Promise<Found> {
  const specific = meant.filter(({ kind }) => kind !== 'words')
  const pages = await Promise.all(specific.map((interpretation) => find(interpretation)))
  const tried: InterpretationKind[] = []
  for (const interpretation of meant) {
    const { kind } = interpretation
    tried.push(kind)
    const page = pages[specific.indexOf(interpretation)] ?? (await find(interpretation))
    if (page.rows.length > 0) return { ...withKind(kind, page), search: { foundBy: kind, tried } }
  }
  return { ...NOTHING, search: { tried } }
}

/** Later pages have the interpretation of the first. */
async function findNext(meant: readonly Interpretation[], find: Find, cursor: string): Promise<Found> {
  const end = cursor.indexOf(SEPARATOR)
  const interpretation = meant.find(({ kind }) => kind === cursor.slice(0, Math.max(end, 0)))
  if (interpretation === undefined) {
    const problem = { path: '/cursor', message: 'must be the next_cursor of a page of this search' }
    throw refuse('VALIDATION_ERROR', `${problem.path} ${problem.message}`, [problem])
  }
  const { kind } = interpretation
  const page = await find(interpretation, cursor.slice(end + 1))
  return { ...withKind(kind, page), search: { foundBy: kind, tried: [kind] } }
}

const SEPARATOR = '~'

const withKind = (kind: InterpretationKind, { nextCursor, ...page }: Found): Found =>
  omitUndefined({ ...page, nextCursor: nextCursor && `${kind}${SEPARATOR}${nextCursor}` })

type Account = Readonly<{ tenantId: TenantId; accountId: AccountId }>

function toFilter(deps: SearchDeps, account: Account, { to, idempotencyKey, ...terms }: Terms): Filter {
  return omitUndefined({
    ...terms,
    toKey: to && deps.blind(account.tenantId, to),
    ids: idempotencyKey === undefined ? undefined : toKeyedIds(deps, account, idempotencyKey),
  })
}

const NAMESPACES: readonly KeyNamespace[] = ['messages', 'otp']
/** How many messages that one key has named are found: a key names a new one after two days at the earliest. */
const GENERATIONS = 16

/** The ids of the messages that an idempotency key may have named. The key itself is not stored. */
const toKeyedIds = ({ ids }: SearchDeps, account: Account, key: string): readonly MessageId[] =>
  NAMESPACES.flatMap((namespace) =>
    Array.from({ length: GENERATIONS }, (_, generation) =>
      ids.keyedMessageId({ ...account, namespace, key, generation }),
    ),
  )

/** Both filters at once; undefined where they contradict each other. */
function narrow(filter: Filter, { tag, metadata, ...single }: Filter): Filter | undefined {
  for (const [name, value] of Object.entries(single)) {
    const given = filter[name as keyof Filter]
    if (given !== undefined && given !== value) return undefined
  }
  const all = { tag: [filter.tag ?? [], tag ?? []].flat(2), metadata: [filter.metadata ?? [], metadata ?? []].flat(2) }
  const several = Object.fromEntries(Object.entries(all).filter(([, values]) => values.length > 0))
  return { ...filter, ...single, ...several }
}
