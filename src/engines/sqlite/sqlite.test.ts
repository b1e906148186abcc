import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '../../lib/clock.ts'
import { engineContract } from '../../ports/engine.contract.ts'
import { erasuresContract } from '../../ports/erasures.contract.ts'
import { stopped } from '../../ports/samples.contract.ts'
import { frameSealing } from '../crypto/frame-sealer.ts'
import { openSealer } from '../crypto/sealer.ts'
import { openSqlite } from './sqlite.ts'

async function open(clock: Clock) {
  const folder = mkdtempSync(join(tmpdir(), 'pombo-'))
  const masterKey = randomBytes(32)
  const engine = await openSqlite({
    path: join(folder, 'pombo.db'),
    clock,
    sealer: openSealer(masterKey),
    sealing: frameSealing(masterKey),
    indexBodies: false,
  })
  return {
    ...engine,
    async [Symbol.asyncDispose]() {
      await engine[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true })
    },
  }
}

engineContract('sqlite', open)
erasuresContract('sqlite', () => open(stopped))
