import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadConfig } from '../../src/config/config.ts'
import type { TenantId } from '../../src/domain/ids.ts'
import { NOON } from '../../src/ports/samples.contract.ts'
import { openStoppedEmbedded } from '../../src/profiles/embedded.ts'
import { openFolder } from '../processes.ts'
import { fillFolder } from './fill.ts'
import { createdAt } from './messages.ts'

test('fills a data folder that a gateway can open', async () => {
  using folder = openFolder()
  const dataDir = join(folder.path, 'data')
  const corpus = { messages: 1_000, until: NOON }
  await fillFolder(dataDir, corpus)
  const config = loadConfig({ POMBO_DATA_DIR: dataDir }, (path) => readFileSync(path, 'utf8'))
  await using stopped = await openStoppedEmbedded(config, dataDir)
  const found = async (filter: object): Promise<number> =>
    (await stopped.index.search({ tenantId: 'demo' as TenantId, filter, limit: 1_000 })).rows.length
  assert.equal(await found({}), 700)
  assert.deepEqual(
    [await found({ status: 'failed' }), await found({ dead: true }), await found({ unknown: true })],
    [7, 2, 1],
  )
  assert.equal(await found({ createdFrom: createdAt(corpus, 500) }), 350)
  assert.equal(await found({ tag: 'campaign' }), 20)
})
