import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryTemplates } from '../../../test/memory/templates.ts'
import type { Template } from '../../domain/directory/template.ts'
import { START, TENANT } from '../../flows/gateway.fixture.ts'
import { type Instant, later, type Millis, seconds } from '../../lib/time.ts'
import { present } from '../../ports/samples.contract.ts'
import type { Templates } from '../../ports/templates.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { cachedTemplates } from './cached-templates.ts'

const HI = { tenantId: TENANT, name: 'hi', locale: 'en', channel: 'sms', createdAt: START } as const

/** A store that other processes write too, that counts its calls, and that can be unavailable. */
function openWorld() {
  let now: Instant = START
  let calls = 0
  let outage: Error | undefined
  const store = memoryTemplates()
  const counted: Templates = {
    ...store,
    async find(...args) {
      calls += 1
      if (outage !== undefined) throw outage
      return store.find(...args)
    },
  }
  const templates = cachedTemplates(counted, () => now)
  return {
    store,
    templates,
    find: async (): Promise<string | undefined> => (await templates.find(TENANT, 'hi', ['pt', 'en']))?.texts.text,
    save: (to: Templates, text: string): Promise<Template> => present(to.add({ ...HI, texts: { text } })),
    pass: (by: Millis): void => {
      now = later(now, by)
    },
    fail: (error: Error | undefined): void => {
      outage = error
    },
    calls: () => calls,
  }
}

test('finds a template in the store once a second, and then sees what another process saved', async () => {
  const world = openWorld()
  await world.save(world.store, 'one')
  for (let time = 0; time < 10; time += 1) assert.equal(await world.find(), 'one')
  assert.equal(world.calls(), 1)
  await world.save(world.store, 'two')
  assert.equal(await world.find(), 'one')
  world.pass(seconds(1))
  assert.equal(await world.find(), 'two')
  assert.equal(world.calls(), 2)
})

test('sees its own changes at once, and does not cache missing templates', async () => {
  const world = openWorld()
  assert.equal(await world.find(), undefined)
  await world.save(world.templates, 'one')
  assert.equal(await world.find(), 'one')
  await world.save(world.templates, 'two')
  assert.equal(await world.find(), 'two')
  await world.templates.remove(TENANT, 'hi')
  assert.equal(await world.find(), undefined)
  await world.save(world.store, 'three')
  assert.equal(await world.find(), 'three')
})

test('while the store is unavailable, finds only what is cached', async () => {
  const world = openWorld()
  await world.save(world.store, 'one')
  await world.find()
  world.fail(new Unavailable('unreachable'))
  for (let time = 0; time < 5; time += 1) {
    world.pass(seconds(3600))
    assert.equal(await world.find(), 'one')
  }
  await assert.rejects(world.templates.find(TENANT, 'other', ['en']), Unavailable)
  world.fail(undefined)
  await world.save(world.store, 'two')
  world.pass(seconds(1))
  assert.equal(await world.find(), 'two')
})

test('does not hide faults other than unavailability', async () => {
  const world = openWorld()
  await world.save(world.store, 'one')
  await world.find()
  world.fail(new TypeError('a bug'))
  world.pass(seconds(1))
  await assert.rejects(world.find(), TypeError)
})

test('a hanging store delays one caller, and the others get the cached template', {
  timeout: 5_000,
}, async () => {
  let now: Instant = START
  const store = memoryTemplates()
  await store.add({ ...HI, texts: { text: 'one' } })
  const hanging = Promise.withResolvers<void>()
  let hangs = false
  const templates = cachedTemplates(
    {
      ...store,
      async find(...args) {
        if (hangs) await hanging.promise
        return store.find(...args)
      },
    },
    () => now,
  )
  const find = async (): Promise<string | undefined> => (await templates.find(TENANT, 'hi', ['en']))?.texts.text
  await find()
  hangs = true
  now = later(now, seconds(5))
  const first = find()
  assert.equal(await find(), 'one')
  hanging.reject(new Unavailable('no answer'))
  assert.equal(await first, 'one')
})
