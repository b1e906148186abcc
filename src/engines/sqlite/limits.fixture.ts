/** For the tests of limits: a store on a file that can be closed and reopened, and a record of its calls. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '../../lib/clock.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import type { Driver } from './driver.ts'
import { JournalProgress } from './journal/progress.ts'
import type { CountRow } from './limit-counts.ts'
import { LocalDriver } from './local-driver.ts'
import { UNSEALED } from './store.fixture.ts'
import { openStore, type StoreMethods } from './store.ts'

export function newFile(): Readonly<{ path: string }> & Disposable {
  const folder = mkdtempSync(join(tmpdir(), 'pombo-limits-'))
  return { path: join(folder, 'pombo.db'), [Symbol.dispose]: () => rmSync(folder, { recursive: true }) }
}

export const openDriver = (path: string, clock: Clock): Driver<StoreMethods> =>
  new LocalDriver(openStore({ path, clock, ...UNSEALED, progress: new JournalProgress(), indexBodies: false }))

/** Fails the given calls, and records them: how many counts each wrote, and how many limits were read at once. */
export function watched(driver: Driver<StoreMethods>) {
  const written: number[] = []
  const refused = new Set<keyof StoreMethods>()
  const calls: (keyof StoreMethods)[] = []
  let rowsRead = 0
  const call: Driver<StoreMethods>['call'] = (name, args) => {
    calls.push(name)
    if (name === 'limitCounts.write') written.push((args[0] as readonly CountRow[]).length)
    if (refused.has(name)) return Promise.reject(new Unavailable('not now'))
    const answer = driver.call(name, args)
    if (name !== 'limitRules.known') return answer
    return answer.then((rows) => {
      rowsRead += (rows as readonly unknown[]).length
      return rows
    })
  }
  const { names } = driver
  const dispose = () => driver[Symbol.asyncDispose]()
  const watching: Driver<StoreMethods> = { names, call, [Symbol.asyncDispose]: dispose }
  return {
    driver: watching,
    refused,
    countsWritten: (): readonly number[] => written,
    calls: () => calls,
    rowsRead: () => rowsRead,
  }
}
