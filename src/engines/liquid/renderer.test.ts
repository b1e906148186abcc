import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { TenantId } from '../../domain/ids.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { openRenderer, type RendererOptions } from './renderer.ts'

const ACME = 'acme' as TenantId
const OBEDIENT = new URL('./render-thread.fixture.ts', import.meta.url)
const TOO_MUCH = { kind: 'too-much', part: 'text' }

const saying = (text: string, tenantId = ACME) => ({ tenantId, texts: { text } })

function openObedient(options: RendererOptions = {}) {
  const deaths: string[] = []
  const onDeath = (tenantId: TenantId): void => void deaths.push(tenantId)
  const renderer = openRenderer({ entry: OBEDIENT, onDeath, ...options })
  return {
    deaths,
    say: (text: string, tenantId?: string) => renderer.render(saying(text, (tenantId ?? ACME) as TenantId), {}),
    [Symbol.asyncDispose]: () => renderer[Symbol.asyncDispose](),
  }
}

test('renders and checks templates in threads', async () => {
  await using renderer = openRenderer()
  const template = { ...saying('Hi {{ name | upcase }}'), name: 'hi', locale: 'en', version: 1 }
  const all = await Promise.all(['Ana', 'Zoë'].map((name) => renderer.render(template, { name })))
  assert.deepEqual(
    all.map((rendered) => rendered.kind === 'ok' && rendered.texts.text),
    ['Hi ANA', 'Hi ZOË'],
  )
  assert.deepEqual(await renderer.render(template, {}), { kind: 'missing', names: ['name'] })
  assert.deepEqual(await renderer.check(saying('{{ name }}')), { kind: 'ok' })
  assert.equal((await renderer.check(saying('{{ name'))).kind, 'faulty')
  const again = { ...template, texts: { text: 'Bye {{ name }}' } }
  assert.deepEqual(await renderer.render(again, { name: 'Ana' }), { kind: 'ok', texts: { text: 'Bye Ana' } })
})

test('a template that burns its budget is refused, and the main thread goes on meanwhile', async () => {
  await using renderer = openRenderer()
  const burning = saying('{% for i in (1..9000) %}{% for j in (1..9000) %}{% endfor %}{% endfor %}')
  let ticks = 0
  const timer = setInterval(() => {
    ticks += 1
  }, 1)
  const results = await Promise.all(Array.from({ length: 4 }, () => renderer.render(burning, {})))
  clearInterval(timer)
  for (const result of results) assert.deepEqual(result, TOO_MUCH)
  assert.ok(ticks >= 20, `${ticks} ticks`)
})

test('templates of another tenant do not wait for one that burns', async () => {
  await using renderer = openRenderer()
  await renderer.render(saying('x'), {})
  const burning = saying('{% for i in (1..9000) %}{% for j in (1..9000) %}{% endfor %}{% endfor %}')
  let burnt = 0
  const all = Array.from({ length: 30 }, () =>
    renderer.render(burning, {}).then(() => {
      burnt += 1
    }),
  )
  await renderer.render(saying('Hi', 'umbrella' as TenantId), {})
  assert.ok(burnt < 5, `after ${burnt} others`)
  await Promise.all(all)
})

test('what takes longer than the quick thread allows is rendered by the slow one', async () => {
  await using world = openObedient()
  assert.deepEqual(await world.say('work 30'), { kind: 'ok', texts: { text: 'work 30' } })
  assert.deepEqual(await world.say('work 60'), TOO_MUCH)
})

test('a tenant over its budget is served by the slow thread, and others by the quick one', async () => {
  await using world = openObedient()
  assert.deepEqual(await world.say('hi'), { kind: 'ok', texts: { text: 'hi at 5' } })
  for (const _ of [1, 2, 3, 4]) await world.say('work 45')
  assert.deepEqual(await world.say('hi'), { kind: 'ok', texts: { text: 'hi at 15' } })
  assert.deepEqual(await world.say('hi', 'umbrella'), { kind: 'ok', texts: { text: 'hi at 5' } })
})

test('a template that hangs loses its thread, and those that traveled with it are rendered by the next', async () => {
  await using world = openObedient()
  const all = ['one', 'two', 'hang', 'three', 'four'].map((text) => world.say(text))
  const [one, two, hung, three, four] = await Promise.all(all)
  assert.deepEqual(hung, TOO_MUCH)
  assert.deepEqual(
    [one, two, three, four].map((result) => result?.kind),
    ['ok', 'ok', 'ok', 'ok'],
  )
  assert.deepEqual(world.deaths, ['acme'])
})

test('a template that kills its thread is refused, and the next one is served', async () => {
  await using world = openObedient()
  const [died, served] = await Promise.all([world.say('exit'), world.say('hi', 'umbrella')])
  assert.deepEqual([died, served?.kind], [TOO_MUCH, 'ok'])
})

test('a bug fails its own template and no other', async () => {
  await using world = openObedient()
  const [failed, served] = await Promise.allSettled([world.say('throw'), world.say('hi', 'umbrella')])
  assert.ok(failed?.status === 'rejected' && !(failed.reason instanceof Unavailable))
  assert.equal(served?.status, 'fulfilled')
  assert.deepEqual(world.deaths, [])
})

test('threads that cannot start make templates unavailable', async () => {
  await using world = openObedient({ entry: new URL('./no-such-thread.ts', import.meta.url) })
  await assert.rejects(world.say('hi'), Unavailable)
  await assert.rejects(world.say('hi'), Unavailable)
})

test('closing rejects what waits and what comes later', async () => {
  const world = openObedient()
  const waiting = Promise.allSettled(['hi', 'work 30', 'hang'].map((text) => world.say(text)))
  await world[Symbol.asyncDispose]()
  for (const outcome of await waiting) assert.ok(outcome.status === 'rejected' && outcome.reason instanceof Unavailable)
  await assert.rejects(world.say('hi'), Unavailable)
})

test('the threads run at a low priority', { skip: process.platform !== 'linux' }, async () => {
  await using renderer = openRenderer()
  await renderer.render(saying('{% for i in (1..9000) %}{% for j in (1..9000) %}{% endfor %}{% endfor %}'), {})
  const niceness = readdirSync('/proc/self/task').flatMap((tid) => {
    try {
      return [Number(readFileSync(`/proc/self/task/${tid}/stat`, 'utf8').split(') ')[1]?.split(' ')[16])]
    } catch {
      return []
    }
  })
  assert.ok(niceness.includes(5) && niceness.includes(15))
})
