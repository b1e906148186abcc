/** The positions of sinks, among the positions of everything that follows the log. One process has the file open. */
import type { DatabaseSync } from 'node:sqlite'
import type { SinkName } from '../../domain/ids.ts'
import type { EventLog, Position } from '../../ports/event-log.ts'
import type { SinkPositions } from '../../ports/sink-positions.ts'
import { type Driver, remote } from './driver.ts'
import type { StoreMethods } from './store.ts'

export function sqliteSinkPositions(driver: Driver<StoreMethods>, log: Pick<EventLog, 'tip'>): SinkPositions {
  const { begin, advance } = remote(driver, 'sinkPositions')
  return {
    claim: async ({ sink }) => begin(sink, await log.tip()),

    async advance({ sink }, position) {
      await advance(sink, position)
      return true
    },
  }
}

export function sinkPositionTable(db: DatabaseSync) {
  const insert = db.prepare('insert into progress (name, position) values (?, ?) on conflict (name) do nothing')
  const find = db.prepare('select position from progress where name = ?')
  const update = db.prepare('update progress set position = ?2 where name = ?1 and position < ?2')
  return {
    writes: {
      /** The stored position, or `tip` for a sink that is new. */
      begin(sink: SinkName, tip: Position): Position {
        insert.run(rowOf(sink), tip)
        return Number(find.get(rowOf(sink))?.['position']) as Position
      },
      advance(sink: SinkName, position: Position): void {
        update.run(rowOf(sink), position)
      },
    },
  }
}

const rowOf = (sink: SinkName): string => `sink ${sink}`
