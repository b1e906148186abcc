import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryTemplates } from '../../../test/memory/templates.ts'
import type { Template } from '../../domain/directory/template.ts'
import { START, TENANT } from '../../flows/gateway.fixture.ts'
import { type Instant, later, type Millis, seconds } from '../../lib/time.ts'
import type { Templates } from '../../ports/templates.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { cachedTemplates } from './cached-templates.ts'

const HI = { tenantId: TENANT, name: 'hi', locale: 'en', channel: 'sms', createdAt: START } as const

/** A store that others write too, that counts how often it is asked, and that can be away. */
function openWorld() {
  let now: Instant = START
  let asked = 0
  let outage: Error | undefined
  const store = memoryTemplates()
  const counted: Templates = {
    ...store,
    async find(...args) {
      asked += 1
      if (outage !== undefined) throw outage
      return store.find(...args)
    },
  }
  const templates = cachedTemplates(counted, () => now)
  return {
    store,
    templates,
    find: async (): Promise<string | undefined> => (await templates.find(TENANT, 'hi', ['pt', 'en']))?.texts.text,
    save: (to: Templates, text: string): Promise<Template> => to.add({ ...HI, texts: { text } }),
    pass: (by: Millis): void => {
      now = later(now, by)
    },
    fail: (error: Error | undefined): void => {
      outage = error
    },
    asked: () => asked,
  }
}

test('a template is asked for once a second, and what another process saved is seen then', async () => {
  const world = openWorld()
  await world.save(world.store, 'one')
  for (let time = 0; time < 10; time += 1) assert.equal(await world.find(), 'one')
  assert.equal(world.asked(), 1)
  await world.save(world.store, 'two')
  assert.equal(await world.find(), 'one')
  world.pass(seconds(1))
  assert.equal(await world.find(), 'two')
  assert.equal(world.asked(), 2)
})

test('what is saved or removed here is seen at once, and what is not there is asked for each time', async () => {
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

test('while the store is away, what was seen before is found, and nothing else', async () => {
  const world = openWorld()
  await world.save(world.store, 'one')
  await world.find()
  world.fail(new Unavailable('away'))
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

test('a fault of ours is not hidden', async () => {
  const world = openWorld()
  await world.save(world.store, 'one')
  await world.find()
  world.fail(new TypeError('a bug'))
  world.pass(seconds(1))
  await assert.rejects(world.find(), TypeError)
})

test('a store that hangs holds up one caller, and the others get what was seen before', {
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
