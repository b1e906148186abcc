import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stopped } from '../../ports/samples.contract.ts'
import { usageRecordsContract } from '../../ports/usage-records.contract.ts'
import { remote } from './driver.ts'
import { openSqlite } from './sqlite.ts'
import { UNSEALED } from './store.fixture.ts'

usageRecordsContract('sqlite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pombo-usage-'))
  const path = join(folder, 'pombo.db')
  const engine = await openSqlite({ ...UNSEALED, path, clock: stopped, indexBodies: false })
  const { rebuild } = remote(engine.writer, 'index')
  return {
    ...engine,
    // Reading files first.
    catchUp: async () => undefined,
    async rebuild() {
      for (let part = await rebuild(0, 2); part !== undefined; part = await rebuild(part.through, 2));
    },
    async [Symbol.asyncDispose]() {
      await engine[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true })
    },
  }
})
