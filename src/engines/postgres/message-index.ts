/** The message index of the cluster profile. */
import type { ProjectedIndex } from '../../ports/message-index.ts'
import type { Database } from './database.ts'
import { errors, stats } from './figures.ts'
import { apply, clear, position, tombstone } from './listing.ts'
import { overdue, search } from './search.ts'

export const postgresMessageIndex = (db: Database): ProjectedIndex => ({
  apply: (projections, through) => apply(db, projections, through),
  position: () => position(db),
  search: (query) => search(db, query),
  stats: (query) => stats(db, query),
  errors: (query) => errors(db, query),
  overdue: (query) => overdue(db, query),
  tombstone: (id) => tombstone(db, id),
  clear: () => clear(db),
})
