import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { engineContract } from '../../ports/engine.contract.ts'
import { openSealer } from '../crypto/sealer.ts'
import { openSqlite } from './sqlite.ts'

engineContract('sqlite', async (clock) => {
  const folder = mkdtempSync(join(tmpdir(), 'pombo-'))
  const engine = openSqlite({
    path: join(folder, 'pombo.db'),
    clock,
    sealer: openSealer(randomBytes(32)),
    indexBodies: false,
  })
  return {
    ...engine,
    async [Symbol.asyncDispose]() {
      await engine[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true })
    },
  }
})
