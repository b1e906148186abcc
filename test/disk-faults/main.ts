/** The long run: the disk fills up at every write, and fails at every sync: `npm run disk-faults -- --every 10`. */
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { findCompiler } from '../power/compiler.ts'
import { openScratch } from '../power/scratch.ts'
import { buildLibrary } from './library.ts'
import { countFaults, type Kind, openScene, type Place, type Scene, type Start, toRun } from './plan.ts'
import { runOnFaultyDisk } from './run.ts'

const KINDS: readonly Kind[] = ['full', 'copying', 'sync']
const STARTS: readonly Start[] = ['empty', 'killed', 'earlier']
const USAGE = `usage: npm run disk-faults -- [--seed N] [--from N] [--every N] [--kinds ${KINDS}] [--starts ${STARTS}]`

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    /** The first write or sync that fails, and the distance to the next one that is tried. */
    from: { type: 'string', default: '1' },
    every: { type: 'string', default: '1' },
    kinds: { type: 'string', default: KINDS.join() },
    starts: { type: 'string', default: STARTS.join() },
  },
})
const [seed, from, every] = [toInteger(values.seed), toInteger(values.from), toInteger(values.every)]
const compiler = findCompiler()
if (compiler === undefined) throw new Error('a C compiler is needed: install gcc')

using scratch = openScratch()
const place: Place = { library: buildLibrary(compiler, scratch.path), scratch: scratch.path }
let [runs, failures] = [0, 0]
for (const start of chosen(values.starts, STARTS)) {
  for (const isThreaded of [false, true]) {
    for (const kind of chosen(values.kinds, KINDS)) await tryAll({ start, isThreaded, seed }, kind)
  }
}
console.log(`${runs} runs, ${failures} failed`)
process.exitCode = failures === 0 ? 0 : 1

async function tryAll(scene: Scene, kind: Kind): Promise<void> {
  const began = performance.now()
  const here = { ...place, scratch: mkdtempSync(join(place.scratch, 'scene-')) }
  const initial = await openScene(scene, here)
  const count = await countFaults(scene, here, initial, kind)
  const endings = new Map<string, number>()
  for (let number = from; number <= count; number += every) {
    const ending = await tryOne(scene, here, initial, { kind, number })
    endings.set(ending, (endings.get(ending) ?? 0) + 1)
  }
  const found = [...endings].map(([ending, times]) => `${times} ${ending}`).join(', ')
  const took = ((performance.now() - began) / 1000).toFixed(0)
  const threads = scene.isThreaded ? 'with threads' : 'in one thread'
  console.log(`${kind}, ${scene.start} folder, ${threads}: up to ${count}: ${found}, ${took} s`)
}

async function tryOne(...[scene, here, initial, plan]: Parameters<typeof toRun>): Promise<string> {
  runs += 1
  try {
    return (await runOnFaultyDisk(toRun(scene, here, initial, plan))).ending
  } catch (error) {
    failures += 1
    const threads = scene.isThreaded ? 'with threads' : 'in one thread'
    const reason = error instanceof Error ? error.message : String(error)
    console.log(`${plan.kind} ${plan.number}, ${scene.start} folder, ${threads}, seed ${seed}: ${reason}`)
    return 'failed'
  }
}

function toInteger(text: string): number {
  const value = Number(text)
  return Number.isSafeInteger(value) && value > 0 ? value : refuse()
}

function chosen<Item extends string>(text: string, all: readonly Item[]): readonly Item[] {
  const names = text.split(',')
  return names.every((name) => all.some((item) => item === name))
    ? all.filter((item) => names.includes(item))
    : refuse()
}

function refuse(): never {
  console.error(USAGE)
  process.exit(64)
}
