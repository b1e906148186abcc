/** Whether a message matches a search filter. */
import { toEmailStatus } from '../../src/domain/email/pipeline.ts'
import type { Searchable } from '../../src/domain/message/message.ts'
import { toStatus } from '../../src/domain/message/states.ts'
import type { Filter, Projection } from '../../src/ports/message-index.ts'

type Row = Pick<Projection, 'state' | 'searchable'>

export function matches(row: Row, filter: Filter): boolean {
  const { state, searchable } = row
  const { createdAt } = state
  return (
    (filter.id ?? state.id) === state.id &&
    (filter.ids ?? [state.id]).includes(state.id) &&
    state.id.replaceAll('-', '').startsWith(filter.idPrefix ?? '') &&
    (filter.channel ?? state.channel) === state.channel &&
    (filter.status === undefined || filter.status === toStatus(state)) &&
    (filter.handoffState ?? state.handoffState) === state.handoffState &&
    (filter.providerState ?? state.providerState) === state.providerState &&
    (filter.provider ?? state.provider) === state.provider &&
    (filter.providerMessageId ?? state.providerMessageId) === state.providerMessageId &&
    (filter.emailStatus === undefined || filter.emailStatus === toEmailStatus(state)) &&
    (filter.toKey === undefined || isTo(filter.toKey, searchable)) &&
    [filter.tag ?? []].flat().every((tag) => (searchable?.tags ?? []).includes(tag)) &&
    [filter.metadata ?? []].flat().every((field) => fieldsOf(searchable).includes(field)) &&
    (filter.batchId ?? state.batchId) === state.batchId &&
    (filter.template ?? state.template) === state.template &&
    (filter.errorCode ?? state.errorCode) === state.errorCode &&
    (filter.lane ?? state.lane) === state.lane &&
    (filter.createdFrom ?? createdAt) <= createdAt &&
    (filter.createdTo === undefined || createdAt < filter.createdTo) &&
    (filter.dead ?? state.dead) === state.dead &&
    (filter.unknown === undefined || filter.unknown === (state.phase === 'unknown')) &&
    (filter.text === undefined || contains(toWords(textOf(row)), toWords(filter.text)))
  )
}

const fieldsOf = (searchable: Searchable | undefined): readonly string[] =>
  Object.entries(searchable?.metadata ?? {}).map(([key, value]) => `${key}:${value}`)

const isTo = (key: string, searchable: Searchable | undefined): boolean =>
  searchable?.toKey === key || (searchable?.copyKeys ?? []).includes(key)

const toWords = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []

function textOf({ state, searchable }: Row): string {
  const { tags = [], metadata = {}, subject = '', body = '' } = searchable ?? {}
  return [...tags, ...Object.values(metadata), subject, body, state.errorCode, state.errorDetail].join(' ')
}

/** Every word occurs; the last one may be a prefix. */
function contains(words: readonly string[], wanted: readonly string[]): boolean {
  const beginning = wanted.at(-1)
  if (beginning === undefined) return true
  return wanted.slice(0, -1).every((word) => words.includes(word)) && words.some((word) => word.startsWith(beginning))
}
