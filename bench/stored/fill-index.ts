/**
 * Fills the index of the cluster profile: every message in its last state, written by the projector's own `apply`. The log
 * has none of them, as if it had dropped them by age.
 */

import { toSearchable } from '../../src/domain/message/searchable.ts'
import { fold } from '../../src/domain/message/state.ts'
import { toHandoff } from '../../src/domain/message/usage.ts'
import { openIds } from '../../src/engines/crypto/ids.ts'
import { toCreated } from '../../src/flows/send/accept.ts'
import { later } from '../../src/lib/time.ts'
import type { EventLog, Position } from '../../src/ports/event-log.ts'
import type { IndexWriter, Projection } from '../../src/ports/message-index.ts'
import type { Sealer } from '../../src/ports/sealer.ts'
import { type Corpus, pastOf } from './messages.ts'
import type { Past } from './past.ts'

/** As many as the projector writes at once. */
const PAGE = 512
/** So many pages are written beside each other. */
const WRITERS = 2
const ids = openIds()

type Blind = Pick<Sealer, 'blind'>

/** Messages per second. */
export async function fillIndex(index: IndexWriter, sealer: Blind, corpus: Corpus): Promise<number> {
  const begunAt = performance.now()
  const pages = pagesOf(sealer, corpus)
  const write = async (): Promise<void> => {
    for (const page of pages) await index.apply(page, page.at(-1)?.position ?? (0 as Position))
  }
  await Promise.all(Array.from({ length: WRITERS }, write))
  return (corpus.messages * 1000) / (performance.now() - begunAt)
}

function* pagesOf(sealer: Blind, corpus: Corpus): Generator<readonly Projection[]> {
  let page: Projection[] = []
  for (const past of pastOf(corpus)) {
    page.push(toProjection(sealer, past))
    if (page.length < PAGE) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}

let events = 0

/** In its last state. */
function toProjection({ blind }: Blind, { createdAt, submission, happened }: Past): Projection {
  const { tenantId, content } = submission
  const deps = { ids, clock: () => createdAt, log: {} as EventLog }
  let event = toCreated(deps, submission, 0)
  const handoffs = happened.flatMap(({ fact, after }) => {
    const at = later(createdAt, after)
    const state = fold(event.state, fact, { at, cycle: 1, attempt: 1 })
    event = { ...event, fact, at, attempt: 1, state }
    return toHandoff(event) ?? []
  })
  events += 1 + happened.length
  const searchable = toSearchable(content, (to) => blind(tenantId, to), false)
  return { state: event.state, position: events as Position, searchable, contentBytes: 300, handoffs }
}
