import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { findCompiler } from '../power/compiler.ts'
import { openFolder } from '../support/folder.ts'
import { skipUnavailable } from '../support/skip.ts'
import type { DiskFault } from './disk-control.ts'
import { dataIn, runFaulty } from './fault-process.ts'
import { buildLibrary } from './library.ts'

/** Writes to files in every way that a gateway does, and notes what happened: a line each. */
const SCRIPT = `
  const fs = require('node:fs')
  const { folder } = JSON.parse(process.argv[2])
  const lines = []
  const attempt = (name, act) => {
    try {
      lines.push(name + ' ' + (act() ?? 'done'))
    } catch (error) {
      lines.push(name + ' ' + error.code)
    }
  }
  process.chdir(folder)
  const file = fs.openSync(folder + '/file', 'w+')
  attempt('write', () => fs.writeSync(file, 'x'.repeat(100)))
  attempt('pwrite', () => fs.writeSync(file, 'y'.repeat(100), 100))
  attempt('overwrite', () => fs.writeSync(file, 'z'.repeat(10), 5))
  attempt('writev', () => fs.writevSync(file, [Buffer.alloc(10), Buffer.alloc(10)], 200))
  attempt('shrink', () => fs.ftruncateSync(file, 50))
  attempt('grow', () => fs.ftruncateSync(file, 900))
  attempt('create', () => fs.closeSync(fs.openSync(folder + '/other', 'w')))
  const again = fs.openSync(folder + '/file', 'r')
  for (const one of [file, file, again]) attempt('sync', () => fs.fdatasyncSync(one))
  attempt('elsewhere', () => fs.writeFileSync(folder + '-elsewhere', 'x'))
  fs.writeFileSync(folder + '-lines', lines.join())
`

async function run(t: TestContext, fault: DiskFault): Promise<string | undefined> {
  const compiler = findCompiler()
  if (compiler === undefined) return void skipUnavailable(t, 'there is no C compiler')
  await using folder = await openFolder()
  const entry = join(folder.path, 'script.cjs')
  writeFileSync(entry, SCRIPT)
  mkdirSync(dataIn(folder.path))
  const library = buildLibrary(compiler, folder.path)
  const ended = await runFaulty({ library, folder: folder.path, fault, entry, options: {} })
  assert.equal(ended.code, 0, ended.errors)
  assert(existsSync(`${dataIn(folder.path)}-elsewhere`))
  return readFileSync(`${dataIn(folder.path)}-lines`, 'utf8')
}

const SYNCS = 'sync done,sync done,sync done,elsewhere done'

const CASES: readonly (readonly [about: string, fault: DiskFault, lines: string])[] = [
  [
    'nothing fails unless it is asked for',
    {},
    `write 100,pwrite 100,overwrite 10,writev 20,shrink done,grow done,create done,${SYNCS}`,
  ],
  [
    'a full disk takes what needs no room',
    { fullFrom: 2 },
    `write 100,pwrite ENOSPC,overwrite 10,writev ENOSPC,shrink done,grow ENOSPC,create done,${SYNCS}`,
  ],
  [
    'a full disk that copies on write takes nothing',
    { fullFrom: 3, isCopying: true },
    `write 100,pwrite ENOSPC,overwrite ENOSPC,writev ENOSPC,shrink ENOSPC,grow ENOSPC,create ENOSPC,${SYNCS}`,
  ],
  [
    'the first write that fails may be made in part, and room comes back',
    // Node tries to write the other half too.
    { fullFrom: 2, isTorn: true, roomAfter: 3 },
    `write 100,pwrite 50,overwrite 10,writev ENOSPC,shrink done,grow done,create done,${SYNCS}`,
  ],
  [
    'every descriptor learns once that a sync has failed',
    { failsSync: 1 },
    'write 100,pwrite 100,overwrite 10,writev 20,shrink done,grow done,create done,sync EIO,sync done,sync EIO,elsewhere done',
  ],
]

for (const [about, fault, lines] of CASES) {
  test(about, async (t) => {
    const found = await run(t, fault)
    if (found !== undefined) assert.equal(found, lines)
  })
}
