/** A few disks that fill up or fail; `npm run disk-faults` tries every write and every sync. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, type TestContext, test } from 'node:test'
import { checkFiles } from '../power/check.ts'
import { findCompiler } from '../power/compiler.ts'
import { openScratch, type Scratch } from '../power/scratch.ts'
import { skipUnavailable } from '../support/skip.ts'
import { buildLibrary } from './library.ts'
import { type Kind, openScene, type Place, type Plan, type Scene, toRun } from './plan.ts'
import { runOnFaultyDisk } from './run.ts'

const SCENE: Scene = { start: 'empty', isThreaded: false, seed: 1 }
const WITH_THREADS: Scene = { ...SCENE, isThreaded: true }

const at = (kind: Kind, ...numbers: readonly number[]): readonly Plan[] => numbers.map((number) => ({ kind, number }))

describe('on a disk that fills up or fails', { concurrency: true, timeout: 120_000 }, () => {
  let scratch: Scratch | undefined
  let library: string | undefined
  before(() => {
    const compiler = findCompiler()
    if (compiler === undefined) return
    scratch = openScratch()
    library = buildLibrary(compiler, scratch.path)
  })
  after(() => scratch?.[Symbol.dispose]())

  const withDisk = (act: (place: Place) => Promise<void>) => async (t: TestContext) => {
    if (library === undefined || scratch === undefined) return skipUnavailable(t, 'there is no C compiler')
    await act({ library, scratch: mkdtempSync(join(scratch.path, 'test-')) })
  }

  /** How the runs end. Each is checked when the process has ended. */
  async function tryAll(scene: Scene, place: Place, plans: readonly Plan[]): Promise<ReadonlySet<string>> {
    const initial = await openScene(scene, place)
    const endings = new Set<string>()
    for (const plan of plans) endings.add((await runOnFaultyDisk(toRun(scene, place, initial, plan))).ending)
    return endings
  }

  test(
    'a full disk refuses what it cannot take and loses nothing; with room, the same process goes on',
    withDisk(async (place) => {
      const endings = await tryAll(SCENE, place, [...at('full', 241, 302, 423), ...at('copying', 264, 467)])
      assert(endings.has('worked') && !endings.has('could not start'), [...endings].join())
    }),
  )

  test(
    'with its threads too',
    withDisk(async (place) => {
      const endings = await tryAll(WITH_THREADS, place, [...at('full', 212, 351), ...at('copying', 233, 444)])
      assert(endings.has('worked') && !endings.has('could not start'), [...endings].join())
    }),
  )

  test(
    'a start on a full disk names the file, and the next start works',
    withDisk(async (place) => {
      const plans = [...at('full', 1, 90, 130), ...at('copying', 1, 100, 150)]
      assert.deepEqual(await tryAll(SCENE, place, plans), new Set(['could not start']))
      assert.deepEqual(await tryAll(WITH_THREADS, place, plans.slice(0, 2)), new Set(['could not start']))
      assert.deepEqual(
        await tryAll({ ...SCENE, start: 'killed' }, place, at('full', 1, 20)),
        new Set(['could not start']),
      )
    }),
  )

  test(
    'a sync that fails ends the process, and nothing is answered after it',
    withDisk(async (place) => {
      assert((await tryAll(SCENE, place, at('sync', 30, 47, 60))).has('could not sync'))
      assert((await tryAll(WITH_THREADS, place, at('sync', 33, 52, 65))).has('could not sync'))
    }),
  )

  test(
    'a take-over that the disk has no room for goes on with the next start',
    withDisk(async (place) => {
      const endings = await tryAll({ ...SCENE, start: 'earlier' }, place, at('full', 40, 700))
      assert.deepEqual(endings, new Set(['could not start']))
    }),
  )

  test(
    'an engine that loses what it has answered is found out',
    withDisk(async (place) => {
      const { files, promised } = await openScene({ ...SCENE, start: 'killed' }, place)
      const [lost] = [...promised.messages.values()]
      assert(lost !== undefined)
      const messages = new Map(promised.messages).set(randomUUID(), { ...lost, asked: ['an event'], answered: 1 })
      const checked = checkFiles(join(place.scratch, 'checked'), files, { ...promised, messages })
      await assert.rejects(checked, /everything answered is there/)
    }),
  )
})
