/** The tests every store of carrier references must pass: whichever of reference and report comes second finds the other. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import type { AttemptRef, MessageId, ProviderName } from '../domain/ids.ts'
import type { PartReport, PartState } from '../domain/message/part-reports.ts'
import { later, seconds } from '../lib/time.ts'
import type { CarrierReferences, Registered, Reports } from './carrier-references.ts'
import { ACME, NOON } from './samples.contract.ts'

/** The store as each of two processes opens it. */
type Stores = Readonly<{ one: CarrierReferences; other: CarrierReferences }>
export type OpenCarrierReferences = () => Promise<Stores & AsyncDisposable>

const OTHER = 'other' as ProviderName

export const someRef = (): AttemptRef => ({ messageId: randomUUID() as MessageId, cycle: 1, attempt: 2 })
export const someReferences = (count = 1): readonly string[] =>
  Array.from({ length: count }, (_, part) => `${randomUUID()}-${part}`)

const reportOf = (state: PartState): PartReport => ({ state, at: NOON })
export const DELIVERED: PartReport = { ...reportOf('delivered'), code: '000', detail: 'Received by the phone' }
const ACCEPTED = reportOf('accepted')
const DROPPED = { ...reportOf('dropped'), code: 'EXPIRED' }

export function carrierReferencesContract(engine: string, open: OpenCarrierReferences): void {
  describe(`carrier references on ${engine}`, { timeout: 120_000 }, () => {
    findingContract(open)
    precedenceContract(open)
    referencesContract(open)
    racingContract(open)
  })
}

function findingContract(open: OpenCarrierReferences): void {
  test('a report under a registered reference returns its attempt', async () => {
    await using stores = await open()
    const [names, ref] = [someReferences(), someRef()]
    assert.deepEqual(await stores.one.register(ACME, names, ref), [undefined])
    assert.deepEqual(await reportFirst(stores.other, names, DELIVERED), { ref, names, reports: [DELIVERED] })
  })

  test('registering a reference returns the reports that arrived before', async () => {
    await using stores = await open()
    const [names, ref] = [someReferences(), someRef()]
    assert.equal(await reportFirst(stores.one, names, DELIVERED), undefined)
    assert.deepEqual(await stores.other.register(ACME, names, ref), [DELIVERED])
  })

  test('a report sent with onlyIfRegistered is not stored under an unregistered reference', async () => {
    await using stores = await open()
    const [names, ref] = [someReferences(), someRef()]
    const [name = ''] = names
    const reportIfRegistered = (report: PartReport) => stores.one.report(ACME, name, report, { onlyIfRegistered: true })
    assert.equal(await reportIfRegistered(DELIVERED), undefined)
    assert.deepEqual(await stores.other.register(ACME, names, ref), [undefined])
    assert.deepEqual(await reportIfRegistered(DELIVERED), { ref, names, reports: [DELIVERED] })
  })

  test('and is stored with the reports on other parts when the reference is registered', async () => {
    await using stores = await open()
    const [names, ref] = [someReferences(2), someRef()]
    const [name = ''] = names
    await stores.one.register(ACME, names, ref)
    await stores.other.report(ACME, name, DELIVERED, { onlyIfRegistered: true })
    assert.deepEqual(await stores.one.register(ACME, names, ref), [DELIVERED, undefined])
  })

  test('repeating a call changes nothing', async () => {
    await using stores = await open()
    const [names, ref] = [someReferences(), someRef()]
    for (const store of [stores.one, stores.other]) assert.equal(await reportFirst(store, names, DELIVERED), undefined)
    for (const store of [stores.one, stores.other, stores.one])
      assert.deepEqual(await store.register(ACME, names, ref), [DELIVERED])
    for (const store of [stores.one, stores.other])
      assert.deepEqual(await reportFirst(store, names, DELIVERED), { ref, names, reports: [DELIVERED] })
  })

  test('reports are returned in the order of the parts', async () => {
    await using stores = await open()
    const [names, ref] = [someReferences(3), someRef()]
    const [first = '', second = '', third = ''] = names
    const [early, late] = [DELIVERED, { ...DELIVERED, at: later(NOON, seconds(60)) }]
    assert.equal(await stores.one.report(ACME, third, early), undefined)
    assert.deepEqual(await stores.other.register(ACME, names, ref), [undefined, undefined, early])
    const two = { ref, names, reports: [DROPPED, undefined, early] }
    assert.deepEqual(await stores.one.report(ACME, first, DROPPED), two)
    const three = { ref, names, reports: [DROPPED, late, early] }
    assert.deepEqual(await stores.other.report(ACME, second, late), three)
    assert.deepEqual(await stores.one.register(ACME, names, ref), three.reports)
  })
}

function precedenceContract(open: OpenCarrierReferences): void {
  const orders: readonly (readonly [PartReport, PartReport, PartReport])[] = [
    [ACCEPTED, DELIVERED, DELIVERED],
    [DELIVERED, ACCEPTED, DELIVERED],
    [DROPPED, DELIVERED, DROPPED],
    [DELIVERED, DROPPED, DELIVERED],
  ]
  for (const [before, after, counts] of orders) {
    test(`keeps ${counts.state} of ${before.state} followed by ${after.state}`, async () => {
      await using stores = await open()
      const [unregistered, names, ref] = [someReferences(), someReferences(2), someRef()]
      await reportFirst(stores.one, unregistered, before)
      await reportFirst(stores.other, unregistered, after)
      assert.deepEqual(await stores.one.register(ACME, unregistered, someRef()), [counts])

      await stores.one.register(ACME, names, ref)
      await reportFirst(stores.one, names, before)
      const registered = await reportFirst(stores.other, names, after)
      assert.deepEqual(registered?.reports, [counts, undefined])
      assert.deepEqual(await stores.one.register(ACME, names, ref), [counts, undefined])
    })
  }

  test('reports from before and after the registration are compared the same way', async () => {
    await using stores = await open()
    const names = someReferences()
    await reportFirst(stores.one, names, DROPPED)
    await stores.one.register(ACME, names, someRef())
    assert.deepEqual((await reportFirst(stores.other, names, DELIVERED))?.reports, [DROPPED])
  })
}

const UNUSUAL: readonly string[] = [
  '',
  '0',
  'a.b.c',
  'a b\tc',
  `it's "quoted"`,
  '*',
  '>',
  'a.*.>',
  'x'.repeat(65),
  'x'.repeat(66),
  'y'.repeat(1_000),
  'Grüße 👋',
  '%00\u0000\n',
  'A',
  'a',
]

function referencesContract(open: OpenCarrierReferences): void {
  test('any string is a valid reference, distinct from every other', async () => {
    await using stores = await open()
    const refs = UNUSUAL.map(someRef)
    await Promise.all(UNUSUAL.map((name, index) => stores.one.register(ACME, [name], refs[index] ?? someRef())))
    for (const [index, name] of UNUSUAL.entries()) {
      const registered = await stores.other.report(ACME, name, DELIVERED)
      assert.deepEqual(registered, { ref: refs[index], names: [name], reports: [DELIVERED] })
    }
  })

  test('the same reference of two providers means two attempts', async () => {
    await using stores = await open()
    const [names, ref] = [someReferences(), someRef()]
    await stores.one.register(ACME, names, ref)
    assert.equal(await stores.other.report(OTHER, names[0] ?? '', DELIVERED), undefined)
    assert.deepEqual(await stores.one.register(ACME, names, ref), [undefined])
  })

  test('a reference that is registered again belongs to the newer attempt, without the reports on the older', async () => {
    await using stores = await open()
    const names = someReferences(2)
    const [older, newer] = [someRef(), someRef()]
    await stores.one.register(ACME, names, older)
    for (const name of names) await stores.one.report(ACME, name, DELIVERED)
    const again = names.slice(0, 1)
    assert.deepEqual(await stores.other.register(ACME, again, newer), [undefined])
    const registered = { ref: newer, names: again, reports: [DROPPED] }
    assert.deepEqual(await reportFirst(stores.one, again, DROPPED), registered)
  })

  test('parts of one attempt may share a reference', async () => {
    await using stores = await open()
    const [name = ''] = someReferences()
    const [names, ref] = [[name, name], someRef()]
    assert.deepEqual(await stores.one.register(ACME, names, ref), [undefined, undefined])
    const registered = { ref, names, reports: [DELIVERED, DELIVERED] }
    assert.deepEqual(await stores.other.report(ACME, name, DELIVERED), registered)
  })
}

type Act = 'name' | number
/** A step of one of two processes: register the references, or report the part with this number. */
type Step = Readonly<{ by: 'one' | 'other'; act: Act; waits: boolean }>

function racingContract(open: OpenCarrierReferences): void {
  test('in every interleaving of registrations and reports, one caller sees all reports', async () => {
    await using stores = await open()
    await fc.assert(
      fc.asyncProperty(race, async (steps) => assert.ok(await hasSeenAllReports(stores, steps))),
      { numRuns: 200 },
    )
  })
}

/** Whether, after all steps, one of the callers has seen the reports on all parts. */
export async function hasSeenAllReports(stores: Stores, steps: readonly Step[]): Promise<boolean> {
  const parts = new Set(steps.map(({ act }) => act)).size - 1
  const [names, ref] = [someReferences(parts), someRef()]
  const reports = names.map((_, part) => ({ ...DELIVERED, at: later(NOON, seconds(part)) }))
  const take = async ({ by, act }: Step): Promise<Reports> =>
    act === 'name'
      ? stores[by].register(ACME, names, ref)
      : ((await stores[by].report(ACME, names[act] ?? '', reports[act] ?? DELIVERED))?.reports ?? [])

  const answers: Promise<Reports>[] = []
  for (const step of steps) {
    if (step.waits) await Promise.all(answers)
    answers.push(take(step))
  }
  return (await Promise.all(answers)).some((seen) => isDeepStrictEqual(seen, reports))
}

const shuffled = (acts: readonly Act[]): fc.Arbitrary<Act[]> =>
  fc.shuffledSubarray([...acts], { minLength: acts.length })

const stepOf = (act: Act): fc.Arbitrary<Step> =>
  fc.record({
    by: fc.constantFrom('one', 'other'),
    act: fc.constant(act),
    waits: fc.nat({ max: 3 }).map((dice) => dice === 0),
  })

/** All necessary steps, some of them twice, in any order. */
export const race: fc.Arbitrary<Step[]> = fc.integer({ min: 1, max: 4 }).chain((parts) => {
  const acts: Act[] = ['name', ...Array(parts).keys()]
  return fc
    .subarray(acts)
    .chain((twice) => shuffled([...acts, ...twice]))
    .chain((all) => fc.tuple(...all.map(stepOf)))
})

/** A report on the first part. */
const reportFirst = (
  store: CarrierReferences,
  [name = '']: readonly string[],
  report: PartReport,
): Promise<Registered | undefined> => store.report(ACME, name, report)

/** Everything that was confirmed is still there after a restart. */
export async function assertDurable(
  before: CarrierReferences,
  restart: () => Promise<CarrierReferences>,
): Promise<void> {
  const [names, ref] = [someReferences(2), someRef()]
  const early = someReferences()
  await before.register(ACME, names, ref)
  await reportFirst(before, names, DELIVERED)
  await reportFirst(before, early, DROPPED)

  const after = await restart()
  const second = await after.report(ACME, names[1] ?? '', ACCEPTED)
  assert.deepEqual(second, { ref, names, reports: [DELIVERED, ACCEPTED] })
  assert.deepEqual(await after.register(ACME, early, someRef()), [DROPPED])
}
