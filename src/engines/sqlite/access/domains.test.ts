import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stopped } from '../../../ports/samples.contract.ts'
import { sendingDomainsContract, someDomain } from '../../../ports/sending-domains.contract.ts'
import { newFile, openDriver } from '../limits.fixture.ts'
import { openDomains } from './domains.ts'

sendingDomainsContract('sqlite', async () => {
  const file = newFile()
  const driver = openDriver(file.path, stopped)
  return {
    domains: await openDomains(driver),
    async [Symbol.asyncDispose]() {
      await driver[Symbol.asyncDispose]()
      file[Symbol.dispose]()
    },
  }
})

test('domains survive a restart, and later changes have newer versions', async () => {
  using file = newFile()
  const wanted = someDomain()
  const first = await (async () => {
    await using driver = openDriver(file.path, stopped)
    return await (await openDomains(driver)).add(wanted)
  })()
  assert.ok(typeof first === 'object')
  await using driver = openDriver(file.path, stopped)
  const domains = await openDomains(driver)
  assert.deepEqual(domains.list(wanted.tenantId), [first])
  const second = await domains.add(someDomain({ tenantId: wanted.tenantId }))
  assert.ok(typeof second === 'object' && second.version > first.version)
})
