/** The message index of the cluster profile. Figures come from the kept counts, unless some messages are not in them yet. */
import type { ProjectedIndex } from '../../ports/message-index.ts'
import { uncountedCheck } from './count-upkeep.ts'
import type { Database } from './database.ts'
import { countErrors, countStats } from './figures.ts'
import { keptErrors, keptStats } from './kept-figures.ts'
import { apply, clear, position, tombstone } from './listing.ts'
import { overdue, search, total } from './search.ts'
import { Shapes } from './shapes.ts'

export function postgresMessageIndex(db: Database): ProjectedIndex {
  const shapes = new Shapes(db)
  const hasUncounted = uncountedCheck(db)
  return {
    apply: (projections, through) => apply({ db, shapes }, projections, through),
    position: () => position(db),
    search: async (query) => search(db, query, await hasUncounted()),
    total: async (query) => total(db, query, await hasUncounted()),
    stats: async (query) => ((await hasUncounted()) ? countStats(db, query) : keptStats(db, query)),
    errors: async (query) => ((await hasUncounted()) ? countErrors(db, query) : keptErrors(db, query)),
    overdue: (query) => overdue(db, query),
    tombstone: (id) => tombstone(db, id),
    clear: () => clear(db),
  }
}
