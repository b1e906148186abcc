/**
 * Routes as edited in the console: opening and saving a route does not change it. They are imported dynamically,
 * because the server's compiler does not know browser types.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { ProviderName } from '../../../src/domain/ids.ts'
import { conditionProblems, type RouteFields } from '../../../src/domain/routing/route-fields.ts'

type Provider = string | Readonly<{ name: string; weight: number }>
type Route = Readonly<{
  id: string
  channel: 'sms' | 'email'
  prefix: string | null
  sender: string | null
  kind: 'sms' | 'flash_sms' | null
  operator_id: string | null
  providers: readonly Provider[]
  retry: Readonly<{
    max_attempts: number
    delays_seconds: readonly number[]
    jitter: number
    failover: boolean
  }> | null
  unknown: Readonly<{
    wait_seconds?: number
    policy?: 'hold' | 'resend' | 'failover'
    give_up_seconds?: number
  }> | null
}>
type Draft = Readonly<
  Record<'id' | 'prefix' | 'sender' | 'kind' | 'operator' | 'attempts' | 'waits' | 'jitter', string>
> &
  Readonly<{
    channel: 'sms' | 'email'
    weighted: boolean
    ownRetry: boolean
    providers: readonly Readonly<{ name: string; weight: string }>[]
    failover: boolean
    unknownWait: string
    unknownPolicy: string
    giveUp: string
  }>
type Save = Readonly<{ kind: 'add' | 'change'; id?: string; body: Readonly<Record<string, unknown>> }>
type DraftFile = Readonly<{
  EMPTY: Draft
  toDraft: (route: Route) => Draft
  toSave: (draft: Draft, known: Route | undefined) => Save
  toPreview: (draft: Draft) => Readonly<Record<string, unknown>>
}>

const FILE = new URL('../../../console/src/pages/routes/route-draft.ts', import.meta.url)
const { EMPTY, toDraft, toSave, toPreview } = (await import(FILE.href)) as DraftFile

/** As parsed from JSON: with the prototype of plain objects. */
const record = <Shape>(shape: { [Key in keyof Shape]: fc.Arbitrary<Shape[Key]> }): fc.Arbitrary<Shape> =>
  fc.record(shape, { noNullPrototype: true }) as fc.Arbitrary<Shape>

const names = fc.uniqueArray(fc.constantFrom('one', 'two', 'three'), { minLength: 1 })
const providers: fc.Arbitrary<readonly Provider[]> = fc.oneof(
  names,
  names.chain((all) => fc.tuple(...all.map((name) => record({ name: fc.constant(name), weight: fc.nat(1000) })))),
)
const waits = fc.array(fc.oneof(fc.nat(86_400), fc.constantFrom(0.5, 0.25, 1.75)), { minLength: 1, maxLength: 10 })
/** Whole hundredths, as in the form. */
const jitter = fc.oneof(
  fc.nat(100).map((hundredths) => hundredths / 100),
  fc.constantFrom(0.125, 0.005, 0.333),
)
const route: fc.Arbitrary<Route> = record({
  id: fc.constant('brazil'),
  channel: fc.constantFrom('sms' as const, 'email' as const),
  prefix: fc.constantFrom(null, '+55', 'example.com'),
  sender: fc.constantFrom(null, 'ACME', 'no-reply@acme.example'),
  kind: fc.constantFrom(null, 'sms' as const, 'flash_sms' as const),
  operator_id: fc.constantFrom(null, 'vivo'),
  providers,
  retry: fc.option(
    record({
      max_attempts: fc.integer({ min: 1, max: 100 }),
      delays_seconds: waits,
      jitter,
      failover: fc.boolean(),
    }),
  ),
  unknown: fc
    .record(
      {
        wait_seconds: fc.oneof(fc.nat(86_400), fc.constant(0.5)),
        policy: fc.constantFrom('hold' as const, 'resend' as const, 'failover' as const),
        give_up_seconds: fc.integer({ min: 60, max: 2_592_000 }),
      },
      { requiredKeys: [], noNullPrototype: true },
    )
    .map((given) => (Object.keys(given).length === 0 ? null : given)),
}).map((one) => (one.channel === 'email' ? { ...one, kind: null } : one))

test('opening and saving a route does not change it', () => {
  fc.assert(
    fc.property(route, (known) => {
      const { id, channel, ...rest } = known
      assert.deepEqual(toSave(toDraft(known), known), { kind: 'change', id, body: rest })
      assert.deepEqual(toPreview(toDraft(known)), { channel, ...rest })
    }),
    { numRuns: 300 },
  )
})

test('a new route omits empty fields and an empty id', () => {
  const draft = { ...EMPTY, providers: [{ name: 'one', weight: '1' }] }
  assert.deepEqual(toSave(draft, undefined), {
    kind: 'add',
    body: { channel: 'sms', providers: ['one'] },
  })
  assert.equal(toSave({ ...draft, id: 'brazil' }, undefined).body['id'], 'brazil')
})

test('a new route includes every field', () => {
  fc.assert(
    fc.property(route, (one) => {
      const given = Object.fromEntries(Object.entries(one).filter(([, value]) => value !== null))
      assert.deepEqual(toSave(toDraft(one), undefined), { kind: 'add', body: given })
    }),
  )
})

test('a change sets cleared fields to null', () => {
  const known: Route = {
    id: 'brazil',
    channel: 'sms',
    prefix: '+55',
    sender: 'ACME',
    kind: 'flash_sms',
    operator_id: 'vivo',
    providers: ['one'],
    retry: { max_attempts: 3, delays_seconds: [1], jitter: 0.25, failover: false },
    unknown: { wait_seconds: 5, policy: 'hold' },
  }
  const emptied = { ...toDraft(known), prefix: ' ', sender: '', kind: '', operator: '', ownRetry: false }
  const { body } = toSave(emptied, known)
  const taken = ['prefix', 'sender', 'kind', 'operator_id', 'retry'].map((name) => body[name])
  assert.deepEqual(taken, [null, null, null, null, null])
})

test('omits the SMS type of an email route', () => {
  const draft = { ...EMPTY, channel: 'email' as const, kind: 'flash_sms', providers: [{ name: 'one', weight: '1' }] }
  const { body } = toSave(draft, undefined)
  const fields = { ...(body as RouteFields), providers: ['one' as ProviderName] }
  assert.deepEqual(conditionProblems(fields), [])
})

test('parses delays separated by commas, semicolons and spaces', () => {
  const waitsOf = (text: string): unknown => {
    const { retry } = toPreview({ ...EMPTY, ownRetry: true, waits: text }) as Pick<Route, 'retry'>
    return retry?.delays_seconds
  }
  assert.deepEqual(waitsOf('1, 5;30  120,,0.5 '), [1, 5, 30, 120, 0.5])
  assert.deepEqual(waitsOf('  '), [])
})

test('keeps weights while providers are ordered', () => {
  const weighted = toDraft({
    id: 'r',
    channel: 'sms',
    prefix: null,
    sender: null,
    kind: null,
    operator_id: null,
    providers: [
      { name: 'one', weight: 3 },
      { name: 'two', weight: 0 },
    ],
    retry: null,
    unknown: { wait_seconds: 5, policy: 'hold' },
  })
  assert.deepEqual(toPreview({ ...weighted, weighted: false })['providers'], ['one', 'two'])
  assert.deepEqual(toPreview(weighted)['providers'], [
    { name: 'one', weight: 3 },
    { name: 'two', weight: 0 },
  ])
})
