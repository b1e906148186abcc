/** Which faults are tried: the disk fills up at any write, or fails at any sync. The rest is decided by a seed. */
import assert from 'node:assert/strict'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { writeEarlierFolder } from '../power/earlier-folder.ts'
import { randomInteger, seededRandom } from '../support/random.ts'
import type { DiskFault } from './disk-control.ts'
import type { Mark } from './marks.ts'
import { EMPTY, type Left, type RunOptions, runOnFaultyDisk } from './run.ts'

/** What the data folder holds at first: nothing, what a killed process has left, or what an earlier release has left. */
export type Start = 'empty' | 'killed' | 'earlier'

export type Scene = Readonly<{ start: Start; isThreaded: boolean; seed: number }>
export type Place = Readonly<{ library: string; scratch: string }>
export type Kind = 'full' | 'copying' | 'sync'
/** `number` is that of a write or a sync. */
export type Plan = Readonly<{ kind: Kind; number: number }>

const LIVES = { messages: 14, ms: 250, fullMs: 0, isKilled: false }
/** After the store is open, and before it is closed. */
const KILLED_AT = 500

export const toWorkload = ({ isThreaded, seed }: Scene): RunOptions['workload'] => ({ ...LIVES, isThreaded, seed })

export async function openScene(scene: Scene, place: Place): Promise<Left> {
  switch (scene.start) {
    case 'empty':
      return EMPTY
    case 'killed': {
      const workload = { ...toWorkload(scene), isKilled: true, seed: scene.seed + 1 }
      const { ending, left } = await runOnFaultyDisk({
        ...place,
        initial: EMPTY,
        fault: { fullFrom: KILLED_AT },
        workload,
      })
      assert.equal(ending, 'killed')
      return left
    }
    case 'earlier':
      return writeEarlierFolder(mkdtempSync(join(place.scratch, 'earlier-')), scene.seed)
  }
}

/** How many writes, or syncs, there are while nothing fails. After a take-over there is nothing new. */
export async function countFaults(scene: Scene, place: Place, initial: Left, kind: Kind): Promise<number> {
  const fault = { isCopying: kind === 'copying' }
  const { ended } = await runOnFaultyDisk({ ...place, initial, fault, workload: toWorkload(scene) })
  const last = scene.start === 'earlier' ? 'opened' : 'closed'
  const counted = ended.marks.find((mark): mark is Extract<Mark, { writes: number }> => mark.kind === last)
  assert(counted !== undefined)
  return kind === 'sync' ? counted.syncs : counted.writes
}

export function toRun(scene: Scene, place: Place, initial: Left, { kind, number }: Plan): RunOptions {
  const workload = toWorkload(scene)
  if (kind === 'sync') return { ...place, initial, fault: { failsSync: number }, workload }
  const random = seededRandom(scene.seed * 10_000 + number)
  // Few failed writes, or until there is room.
  const roomAfter = random() < 0.3 ? randomInteger(random, 1, 20) : 0
  const isKilled = roomAfter === 0 && random() < 0.3
  const fault: DiskFault = { fullFrom: number, roomAfter, isCopying: kind === 'copying', isTorn: random() < 0.5 }
  return { ...place, initial, fault, workload: { ...workload, isKilled, fullMs: randomInteger(random, 0, 80) } }
}
