import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { RecipientId } from '../../../domain/directory/recipient.ts'
import { someEntry } from '../../../ports/recipients.contract.ts'
import {
  ATTEMPTED,
  append,
  createdEntry,
  nextEntry,
  someMessage,
  stopped,
  tenant,
} from '../../../ports/samples.contract.ts'
import { usageContract } from '../../../ports/usage.contract.ts'
import { remote } from '../driver.ts'
import { openLimitRules } from '../limit-rules.ts'
import { openRoutes } from '../routes.ts'
import { openSqlite } from '../sqlite.ts'
import { newFolder, UNSEALED } from '../store.fixture.ts'
import { USAGE_TABLES } from './usage.ts'

async function open(path: string) {
  const engine = await openSqlite({ ...UNSEALED, path, clock: stopped, indexBodies: false })
  return {
    ...engine,
    rules: await openLimitRules(engine.writer),
    routes: await openRoutes(engine.writer, []),
    catchUp: async () => void (await engine.index.search({ tenantId: tenant('any'), filter: {}, limit: 1 })),
    async rebuild() {
      const { rebuild } = remote(engine.writer, 'index')
      for (let part = await rebuild(0, 2); part !== undefined; part = await rebuild(part.through, 2));
    },
  }
}

usageContract('sqlite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pombo-usage-'))
  const engine = await open(join(folder, 'pombo.db'))
  return {
    ...engine,
    async [Symbol.asyncDispose]() {
      await engine[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true })
    },
  }
})

test('the numbers survive a restart', async (t) => {
  const path = join(newFolder(t), 'pombo.db')
  const tenantId = tenant(randomUUID())
  const numbers = async (engine: Awaited<ReturnType<typeof open>>) => {
    await engine.catchUp()
    return [(await engine.usage.measure([tenantId])).get(tenantId), (await engine.usage.setup(tenantId)).recipients]
  }
  let before: unknown
  {
    await using engine = await open(path)
    await append(engine.log, createdEntry(someMessage({ tenantId })))
    await engine.recipients.add(someEntry({ tenantId, id: randomUUID() as RecipientId }))
    before = await numbers(engine)
  }
  await using engine = await open(path)
  // Without a job before; every unfinished message gets one at the start.
  assert.deepEqual(await numbers(engine), [{ ...(before as [object])[0], waiting: 1 }, 1])
})

test('in a database without counts, recipients are counted at once, and messages with the next rebuild', async (t) => {
  const path = join(newFolder(t), 'pombo.db')
  const tenantId = tenant(randomUUID())
  const old = someMessage({ tenantId })
  {
    await using engine = await open(path)
    await append(engine.log, createdEntry(old))
    for (const _ of [1, 2, 3]) await engine.recipients.add(someEntry({ tenantId, id: randomUUID() as RecipientId }))
  }
  {
    using db = new DatabaseSync(path)
    db.exec(`drop table message_bytes; drop table recipient_counts; ${USAGE_TABLES}`)
  }
  await using engine = await open(path)
  const stored = async (): Promise<number> => {
    await engine.catchUp()
    return (await engine.usage.measure([tenantId])).get(tenantId)?.storedBytes ?? 0
  }
  assert.equal((await engine.usage.setup(tenantId)).recipients, 3)
  assert.equal(await stored(), 0)
  const seen = await engine.log.latest(old.id)
  assert.ok(seen !== undefined)
  await append(engine.log, nextEntry(seen, ATTEMPTED))
  assert.equal(await stored(), 0)
  await append(engine.log, createdEntry(someMessage({ tenantId })))
  const ofNew = await stored()
  assert.ok(ofNew > 0)
  await engine.rebuild()
  assert.ok((await stored()) > 2 * ofNew)
})
