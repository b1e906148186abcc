/** Names over tables in memory, and the names that messages should have. For tests only. */
import { DatabaseSync } from 'node:sqlite'
import { migrate } from '../schema.ts'
import { Names } from './names.ts'

export const keyOf = (n: number): string => `key of ${n}`

export function openNames() {
  const db = new DatabaseSync(':memory:')
  migrate(db, 'memory')
  const stored = new Map<number, Set<string>>()

  /** What the rows of the messages tell. */
  function* readNamed(after: number) {
    for (const [n, names] of stored) if (n > after) yield { n, names: [...names] }
  }
  let names = new Names(db, readNamed)

  const opened = {
    db,
    stored,
    isDue: () => names.isDue(),
    find: (text: string): readonly number[] => [...new Set(names.find(text))].toSorted((one, other) => one - other),

    findPrefix: (prefix: string): readonly number[] => names.findPrefix(prefix),

    /** Messages with an id of their own, and names that each has. */
    addMessages(from: number, to: number, ...shared: readonly string[]): void {
      for (let n = from; n <= to; n += 1) opened.add(n, keyOf(n), ...shared)
    },
    add(n: number, ...texts: readonly string[]): void {
      names.add(n, texts)
      stored.set(n, new Set([...(stored.get(n) ?? []), ...texts]))
    },
    remove(n: number, ...texts: readonly string[]): void {
      names.remove(n, texts)
      for (const text of texts) stored.get(n)?.delete(text)
    },
    /** Deletes the messages before this one. */
    removeBefore(n: number): void {
      for (const old of [...stored.keys()].filter((one) => one < n)) stored.delete(old)
      names.removeBefore(n)
    },

    /** One transaction of work; false if there is none. */
    step(): boolean {
      if (!names.isDue()) return false
      db.exec('begin')
      names.step()
      db.exec('commit')
      return true
    },
    /** All work that is due. */
    finish(): void {
      for (let steps = 0; opened.step(); steps += 1) if (steps > 10_000) throw new Error('the work has no end')
    },
    stepAndRollBack(): void {
      db.exec('begin')
      names.step()
      db.exec('rollback')
      names.recall()
    },
    /** As after a crash. */
    reopen(): void {
      names = new Names(db, readNamed)
    },
  }
  return opened
}
