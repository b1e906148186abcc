/** What a book of receipts promises to those who name and those who report: whoever comes second finds the other. */
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

/** The book as each of two processes has it. */
type Books = Readonly<{ one: CarrierReferences; other: CarrierReferences }>
export type OpenCarrierReferences = () => Promise<Books & AsyncDisposable>

const OTHER = 'other' as ProviderName

export const someRef = (): AttemptRef => ({ messageId: randomUUID() as MessageId, cycle: 1, attempt: 2 })
export const someNames = (count = 1): readonly string[] =>
  Array.from({ length: count }, (_, part) => `${randomUUID()}-${part}`)

const told = (state: PartState): PartReport => ({ state, at: NOON })
export const DELIVERED: PartReport = { ...told('delivered'), code: '000', detail: 'Received by the phone' }
const ACCEPTED = told('accepted')
const DROPPED = { ...told('dropped'), code: 'EXPIRED' }

export function carrierReferencesContract(engine: string, open: OpenCarrierReferences): void {
  describe(`the book of receipts on ${engine}`, { timeout: 120_000 }, () => {
    findingContract(open)
    weighingContract(open)
    namesContract(open)
    racingContract(open)
  })
}

function findingContract(open: OpenCarrierReferences): void {
  test('a report under a known name finds whose it is', async () => {
    await using books = await open()
    const [names, ref] = [someNames(), someRef()]
    assert.deepEqual(await books.one.register(ACME, names, ref), [undefined])
    assert.deepEqual(await reportFirst(books.other, names, DELIVERED), { ref, names, reports: [DELIVERED] })
  })

  test('a report under a name of nobody is found by whoever has the name', async () => {
    await using books = await open()
    const [names, ref] = [someNames(), someRef()]
    assert.equal(await reportFirst(books.one, names, DELIVERED), undefined)
    assert.deepEqual(await books.other.register(ACME, names, ref), [DELIVERED])
  })

  test('a report that is kept only under a name of somebody is not found by whoever gets the name later', async () => {
    await using books = await open()
    const [names, ref] = [someNames(), someRef()]
    const [name = ''] = names
    const reportIfNamed = (report: PartReport) => books.one.report(ACME, name, report, { onlyIfRegistered: true })
    assert.equal(await reportIfNamed(DELIVERED), undefined)
    assert.deepEqual(await books.other.register(ACME, names, ref), [undefined])
    assert.deepEqual(await reportIfNamed(DELIVERED), { ref, names, reports: [DELIVERED] })
  })

  test('and waits with those of other parts where the name is of somebody', async () => {
    await using books = await open()
    const [names, ref] = [someNames(2), someRef()]
    const [name = ''] = names
    await books.one.register(ACME, names, ref)
    await books.other.report(ACME, name, DELIVERED, { onlyIfRegistered: true })
    assert.deepEqual(await books.one.register(ACME, names, ref), [DELIVERED, undefined])
  })

  test('saying it again changes nothing', async () => {
    await using books = await open()
    const [names, ref] = [someNames(), someRef()]
    for (const book of [books.one, books.other]) assert.equal(await reportFirst(book, names, DELIVERED), undefined)
    for (const book of [books.one, books.other, books.one])
      assert.deepEqual(await book.register(ACME, names, ref), [DELIVERED])
    for (const book of [books.one, books.other])
      assert.deepEqual(await reportFirst(book, names, DELIVERED), { ref, names, reports: [DELIVERED] })
  })

  test('what was reported comes in the order of the parts', async () => {
    await using books = await open()
    const [names, ref] = [someNames(3), someRef()]
    const [first = '', second = '', third = ''] = names
    const [early, late] = [DELIVERED, { ...DELIVERED, at: later(NOON, seconds(60)) }]
    assert.equal(await books.one.report(ACME, third, early), undefined)
    assert.deepEqual(await books.other.register(ACME, names, ref), [undefined, undefined, early])
    const two = { ref, names, reports: [DROPPED, undefined, early] }
    assert.deepEqual(await books.one.report(ACME, first, DROPPED), two)
    const three = { ref, names, reports: [DROPPED, late, early] }
    assert.deepEqual(await books.other.report(ACME, second, late), three)
    assert.deepEqual(await books.one.register(ACME, names, ref), three.reports)
  })
}

function weighingContract(open: OpenCarrierReferences): void {
  const orders: readonly (readonly [PartReport, PartReport, PartReport])[] = [
    [ACCEPTED, DELIVERED, DELIVERED],
    [DELIVERED, ACCEPTED, DELIVERED],
    [DROPPED, DELIVERED, DROPPED],
    [DELIVERED, DROPPED, DELIVERED],
  ]
  for (const [before, after, counts] of orders) {
    test(`of ${before.state} and then ${after.state} ${counts.state} stays`, async () => {
      await using books = await open()
      const [unnamed, names, ref] = [someNames(), someNames(2), someRef()]
      await reportFirst(books.one, unnamed, before)
      await reportFirst(books.other, unnamed, after)
      assert.deepEqual(await books.one.register(ACME, unnamed, someRef()), [counts])

      await books.one.register(ACME, names, ref)
      await reportFirst(books.one, names, before)
      const named = await reportFirst(books.other, names, after)
      assert.deepEqual(named?.reports, [counts, undefined])
      assert.deepEqual(await books.one.register(ACME, names, ref), [counts, undefined])
    })
  }

  test('what was reported before the name was known is weighed against what comes after', async () => {
    await using books = await open()
    const names = someNames()
    await reportFirst(books.one, names, DROPPED)
    await books.one.register(ACME, names, someRef())
    assert.deepEqual((await reportFirst(books.other, names, DELIVERED))?.reports, [DROPPED])
  })
}

const PECULIAR: readonly string[] = [
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

function namesContract(open: OpenCarrierReferences): void {
  test('a name may be anything, and is told from every other', async () => {
    await using books = await open()
    const refs = PECULIAR.map(someRef)
    await Promise.all(PECULIAR.map((name, place) => books.one.register(ACME, [name], refs[place] ?? someRef())))
    for (const [place, name] of PECULIAR.entries()) {
      const named = await books.other.report(ACME, name, DELIVERED)
      assert.deepEqual(named, { ref: refs[place], names: [name], reports: [DELIVERED] })
    }
  })

  test('what two providers call by one name are two things', async () => {
    await using books = await open()
    const [names, ref] = [someNames(), someRef()]
    await books.one.register(ACME, names, ref)
    assert.equal(await books.other.report(OTHER, names[0] ?? '', DELIVERED), undefined)
    assert.deepEqual(await books.one.register(ACME, names, ref), [undefined])
  })

  test('a name that is given anew belongs to the newer attempt, with nothing that was reported of the older', async () => {
    await using books = await open()
    const names = someNames(2)
    const [older, newer] = [someRef(), someRef()]
    await books.one.register(ACME, names, older)
    for (const name of names) await books.one.report(ACME, name, DELIVERED)
    const again = names.slice(0, 1)
    assert.deepEqual(await books.other.register(ACME, again, newer), [undefined])
    const named = { ref: newer, names: again, reports: [DROPPED] }
    assert.deepEqual(await reportFirst(books.one, again, DROPPED), named)
  })

  test('parts of one attempt may have one name', async () => {
    await using books = await open()
    const [name = ''] = someNames()
    const [names, ref] = [[name, name], someRef()]
    assert.deepEqual(await books.one.register(ACME, names, ref), [undefined, undefined])
    const named = { ref, names, reports: [DELIVERED, DELIVERED] }
    assert.deepEqual(await books.other.report(ACME, name, DELIVERED), named)
  })
}

type Act = 'name' | number
/** What one of two processes does: to say the names, or to report the part with this number. */
type Step = Readonly<{ by: 'one' | 'other'; act: Act; waits: boolean }>

function racingContract(open: OpenCarrierReferences): void {
  test('however names and reports race, somebody has seen them all', async () => {
    await using books = await open()
    await fc.assert(
      fc.asyncProperty(race, async (steps) => assert.ok(await hasBeenSeen(books, steps))),
      { numRuns: 200 },
    )
  })
}

/** Whether, when all steps are taken, one of those who took them knows of all parts. */
export async function hasBeenSeen(books: Books, steps: readonly Step[]): Promise<boolean> {
  const parts = new Set(steps.map(({ act }) => act)).size - 1
  const [names, ref] = [someNames(parts), someRef()]
  const reports = names.map((_, part) => ({ ...DELIVERED, at: later(NOON, seconds(part)) }))
  const take = async ({ by, act }: Step): Promise<Reports> =>
    act === 'name'
      ? books[by].register(ACME, names, ref)
      : ((await books[by].report(ACME, names[act] ?? '', reports[act] ?? DELIVERED))?.reports ?? [])

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

/** All that must be done, some of it twice, in any order. */
export const race: fc.Arbitrary<Step[]> = fc.integer({ min: 1, max: 4 }).chain((parts) => {
  const acts: Act[] = ['name', ...Array(parts).keys()]
  return fc
    .subarray(acts)
    .chain((twice) => shuffled([...acts, ...twice]))
    .chain((all) => fc.tuple(...all.map(stepOf)))
})

/** A report on the first part. */
const reportFirst = (
  book: CarrierReferences,
  [name = '']: readonly string[],
  report: PartReport,
): Promise<Registered | undefined> => book.report(ACME, name, report)

/** Whatever is safe is there after the engine was ended and begun anew. */
export async function assertLasting(
  before: CarrierReferences,
  restart: () => Promise<CarrierReferences>,
): Promise<void> {
  const [names, ref] = [someNames(2), someRef()]
  const early = someNames()
  await before.register(ACME, names, ref)
  await reportFirst(before, names, DELIVERED)
  await reportFirst(before, early, DROPPED)

  const after = await restart()
  const second = await after.report(ACME, names[1] ?? '', ACCEPTED)
  assert.deepEqual(second, { ref, names, reports: [DELIVERED, ACCEPTED] })
  assert.deepEqual(await after.register(ACME, early, someRef()), [DROPPED])
}
