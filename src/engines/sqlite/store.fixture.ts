/** For the tests of the embedded engine: temporary folders, and a sealer that hides nothing. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import type { OpenFrameSealer, Sealer } from '../../ports/sealer.ts'
import { migrate } from './schema.ts'

export function newFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'pombo-sqlite-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return folder
}

/** The tables of the engine, in memory. */
export function newTables(t: TestContext): DatabaseSync {
  const db = new DatabaseSync(':memory:')
  migrate(db, 'memory')
  t.after(() => db.close())
  return db
}

/** Frames in clear text. */
const openFrames: OpenFrameSealer = () => ({
  seal: (_, text) => Buffer.from(text),
  open: (_, sealed) => Buffer.from(sealed).toString(),
})

export const openSealed: Sealer = {
  mark: 'a key for tests',
  seal: (_, plain) => ({ sealed: plain, secret: new Uint8Array([1]) }),
  open: (_, sealed) => sealed,
  blind: (tenantId, recipient) => `${tenantId} ${recipient}`,
}

/** The options of an engine that hides nothing. */
export const UNSEALED = { sealer: openSealed, sealing: openFrames }
