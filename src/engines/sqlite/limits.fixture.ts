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

/** Fails the given calls, and records how many counts each call wrote. */
export function watched(driver: Driver<StoreMethods>) {
  const written: number[] = []
  const refused = new Set<keyof StoreMethods>()
  const call: Driver<StoreMethods>['call'] = (name, args) => {
    if (name === 'limitCounts.write') written.push((args[0] as readonly CountRow[]).length)
    return refused.has(name) ? Promise.reject(new Unavailable('not now')) : driver.call(name, args)
  }
  const { names } = driver
  const dispose = () => driver[Symbol.asyncDispose]()
  const watching: Driver<StoreMethods> = { names, call, [Symbol.asyncDispose]: dispose }
  return { driver: watching, refused, countsWritten: (): readonly number[] => written }
}
