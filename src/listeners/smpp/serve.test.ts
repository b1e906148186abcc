import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { SmppFields } from '../../../test/support/smpp-client.ts'
import { toOctets, withHeader, withOptional } from '../../../test/support/smpp-octets.ts'
import type { MessageId } from '../../domain/ids.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { openPartSealer } from '../../engines/crypto/part-sealer.ts'
import { openGateway, SUBMISSION } from '../../flows/gateway.fixture.ts'
import { type Instant, later, seconds } from '../../lib/time.ts'
import type { PartialMessages } from '../../ports/partial-messages.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { type Command, TAGS } from './pdu.ts'
import { type ServeDeps, serve } from './serve.ts'
import type { Bound } from './session.ts'
import { statusOf } from './statuses.ts'

const { tenantId, accountId } = SUBMISSION
const BOUND = { caller: { tenantId, accountId } } as unknown as Bound
const FIRST = 'A first part that many texts have, '

/** A client of a gateway, and time that only passes when a test says so. */
function open({ maxParts = 10 } = {}) {
  let passed = 0
  const clock = (): Instant => later(gateway.deps.clock(), seconds(passed))
  const engine = openMemoryEngine({ clock: () => clock() })
  const gateway = openGateway({ openEngine: () => engine, ids: openIds() })
  const { routes } = gateway.deps
  const deps: ServeDeps = {
    ...{ ...gateway.deps, ...engine, routes, clock, maxParts },
    blind: (tenant, to) => `${tenant} ${to}`,
    partSealer: openPartSealer(new Uint8Array(32)),
    defaultLane: 'transactional',
    joinWithin: seconds(1_800),
  }
  const ask = async (fields: SmppFields, { key, command = 'submit_sm', by = {} }: Ask = {}) => {
    const said = { source_addr_ton: 5, source_addr: '', dest_addr_ton: 1, dest_addr_npi: 1, ...fields }
    const octets =
      key === undefined
        ? toOctets(command, said)
        : withOptional(command, said, TAGS.pombo_idempotency_key, key).toBuffer()
    try {
      const reply = await serve({ ...deps, ...by }, command, octets, BOUND)
      return String(reply?.body).split('\0', 1).join()
    } catch (error) {
      return statusOf(error) ?? error
    }
  }
  return {
    deps,
    ask,
    part: (number: number, text: string, total = 2) =>
      ask({ destination_addr: '5511987654321', ...withHeader(7, total, number, Buffer.from(text)) }),
    contentOf: async (id: unknown) => (await engine.log.load(id as MessageId))?.content,
    pass: (count: number) => {
      passed += count
    },
  }
}

type Ask = Readonly<{ key?: string; command?: Command; by?: Partial<ServeDeps> }>

const ONE = { destination_addr: '5511987654321', short_message: Buffer.from('Hello') }
const OTHER = '5511987654322'

test('two long messages with one reference and the same beginning are both sent', async () => {
  const { part, contentOf } = open()
  await part(1, FIRST)
  const first = String(await part(2, 'and its end.'))
  await part(1, FIRST)
  const second = String(await part(2, 'and another end.'))
  const bodies = await Promise.all([first, second].map((id) => contentOf(id.slice(0, 36))))
  assert.deepEqual(
    bodies.map((content) => content?.channel === 'sms' && content.body),
    [`${FIRST}and its end.`, `${FIRST}and another end.`],
  )
})

test('the same long message is sent again when its reference is used again later', async () => {
  const { part, pass } = open()
  const first = await part(1, FIRST)
  await part(2, 'end')
  assert.equal(await part(1, FIRST), first, 'a part whose answer got lost')
  pass(120)
  assert.notEqual(await part(1, FIRST), first)
})

test('parts that are too long, or too many, are refused before they are stored', async () => {
  const { part, ask, deps } = open({ maxParts: 4 })
  const { partialMessages } = deps
  let added = 0
  const add: PartialMessages['add'] = (one) => {
    added += 1
    return partialMessages.add(one)
  }
  const payload = Buffer.concat([Buffer.of(5, 0, 3, 9, 2, 1), Buffer.alloc(256, 0x41)])
  const long = { esm_class: 0x40, short_message: Buffer.alloc(0), message_payload: payload }
  const by = { partialMessages: { ...partialMessages, add } }
  assert.equal(await ask({ ...ONE, ...long }, { by }), 0x01)
  assert.equal(await ask({ ...ONE, ...withHeader(9, 13, 1, Buffer.from('one of many')) }, { by }), 0x01)
  assert.equal(added, 0)
  assert.match(String(await part(1, 'x'.repeat(153), 12)), /^[0-9a-f-]{36}$/)
})

for (const registered of [0, 1]) {
  test(`a key repeats a message with a relative validity period (registered_delivery ${registered})`, async () => {
    const { ask, pass, contentOf } = open()
    const fields = { ...ONE, registered_delivery: registered, validity_period: '000000010000000R' }
    const id = await ask(fields, { key: 'order 17' })
    assert.ok((await contentOf(id))?.expiresAt)
    pass(5)
    assert.equal(await ask(fields, { key: 'order 17' }), id)
    assert.equal(await ask({ ...fields, validity_period: '000000020000000R' }, { key: 'order 17' }), 0x45)
    assert.equal(await ask({ ...fields, validity_period: '' }, { key: 'order 17' }), 0x45)
  })
}

const addressed = (...numbers: readonly string[]) => ({
  dest_address: numbers.map((to) => ({ dest_addr_ton: 1, dest_addr_npi: 1, destination_addr: to })),
})

/** The answer's id, how many are refused, and what was accepted. */
async function askMany(world: ReturnType<typeof open>, fields: SmppFields, more: Ask = {}) {
  const ids = new Set<MessageId>()
  const log: ServeDeps['log'] = {
    ...world.deps.log,
    append: async (entry) => {
      const result = await world.deps.log.append(entry)
      if (result.kind === 'appended') ids.add(entry.event.state.id)
      return result
    },
  }
  const id = await world.ask(fields, { command: 'submit_multi', by: { log }, ...more })
  return { id: String(id), contents: await Promise.all([...ids].map(world.contentOf)), ids: [...ids] }
}

const RECEIPT = { registered_delivery: 1 }

test('submit_multi with a key sends one message to each destination, however often it is asked', async () => {
  const world = open()
  const fields = { ...RECEIPT, ...addressed(ONE.destination_addr, OTHER), short_message: ONE.short_message }
  const first = await askMany(world, fields, { key: 'order 17' })
  assert.deepEqual([first.ids.length, first.ids[0]], [2, first.id])
  const again = await askMany(world, fields, { key: 'order 17' })
  assert.deepEqual([again.id, again.ids], [first.id, []])
  const fewer = await askMany(world, { ...fields, ...addressed(OTHER) }, { key: 'order 17' })
  assert.deepEqual([fewer.id, fewer.ids], [first.ids[1], []])
})

const partToMany = (number: number): SmppFields => ({
  ...{ ...RECEIPT, ...addressed(ONE.destination_addr, OTHER), validity_period: '000000010000000R' },
  ...withHeader(7, 2, number, Buffer.from(`part ${number}`)),
})

test('the receipts of parts to many destinations all name the parts of the first', async () => {
  const world = open()
  const { id: first } = await askMany(world, partToMany(1))
  const { id: second, ids, contents } = await askMany(world, partToMany(2))
  assert.deepEqual([second, ids.length, ids[0]], [`${first}-2`, 2, first])
  assert.deepEqual(
    contents.map((content) => content?.receipt?.id),
    [undefined, first],
  )
})

test('parts that were joined before a crash are joined again by another part', async () => {
  const world = open()
  const { partialMessages } = world.deps
  const complete: PartialMessages['complete'] = () => Promise.reject(new Unavailable('the process is gone'))
  const { id: first } = await askMany(world, partToMany(1))
  const by = { partialMessages: { ...partialMessages, complete } }
  assert.equal(await world.ask(partToMany(2), { command: 'submit_multi', by }), 0x08)
  world.pass(5)
  const again = await askMany(world, partToMany(1))
  assert.deepEqual([again.id, again.ids], [first, []])
  assert.equal((await askMany(world, partToMany(2))).id, `${first}-2`)
})
