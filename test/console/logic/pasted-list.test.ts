/** Lists of addresses as pasted from emails, spreadsheets and other programs. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseList, withoutLines } from '../../../console/src/pages/suppressions/pasted-list.ts'
import { parseSuppressed } from '../../../src/domain/requests/suppression-request.ts'
import { isSingleLine } from '../../../src/lib/single-line.ts'
import { TEXTS } from '../texts.ts'

const T = TEXTS.suppressions
const addressesIn = (text: string): readonly string[] => parseList(text).entries.map(({ address }) => address)

test('empty lines are an empty list', () => {
  for (const text of ['', '\n', ' \n\t\n\r\n'])
    assert.deepEqual(parseList(text), { entries: [], wrong: [], duplicates: 0 })
})

test('a note follows a comma, semicolon or tab, and keeps its own commas', () => {
  const { entries } = parseList(
    'a@x.example, by phone, duplicates\nb@x.example;left; for good\nc@x.example\tmoved, it seems',
  )
  assert.deepEqual(entries, [
    { line: 1, address: 'a@x.example', note: 'by phone, duplicates' },
    { line: 2, address: 'b@x.example', note: 'left; for good' },
    { line: 3, address: 'c@x.example', note: 'moved, it seems' },
  ])
})

test('unquotes spreadsheet values', () => {
  const { entries } = parseList('"a@x.example","said ""no"", duplicates"\r\n"b@x.example"\r\n"c@x.example",""')
  assert.deepEqual(
    entries.map(({ address, note }) => [address, note]),
    [
      ['a@x.example', 'said "no", duplicates'],
      ['b@x.example', ''],
      ['c@x.example', ''],
    ],
  )
})

test('ignores a byte order mark and any whitespace around an address', () => {
  assert.deepEqual(addressesIn('\ufeffa@x.example\n\u00a0 b@x.example \t\r\n'), ['a@x.example', 'b@x.example'])
})

test('reports invalid addresses with their line and text', () => {
  const odd = [
    'no address',
    'Ana <ana@x.example>',
    'a@localhost',
    'a@1.2.3.4',
    'a@@x.example',
    '@x.example',
    ',a@x.example',
  ]
  const { entries, wrong } = parseList(['ok@x.example', '', ...odd.map((line) => `  ${line} `)].join('\n'))
  assert.equal(entries.length, 1)
  assert.deepEqual(
    wrong,
    odd.map((text, nth) => ({ line: nth + 3, text, problem: T.notAnAddress })),
  )
})

test('accepts addresses and notes up to their maximum length', () => {
  const domain = `${'d'.repeat(60)}.`.repeat(3)
  const longest = `${'l'.repeat(64)}@${domain}${'e'.repeat(6)}`
  assert.equal(longest.length, 254)
  assert.deepEqual(addressesIn(longest), [longest])
  assert.deepEqual(addressesIn(`${longest}e`), [])
  assert.deepEqual(addressesIn(`${'l'.repeat(65)}@x.example`), [])
  assert.equal(parseList(`a@x.example,${'n'.repeat(200)}`).wrong.length, 0)
  assert.deepEqual(parseList(`a@x.example,${'n'.repeat(201)}`).wrong, [
    { line: 1, text: 'a@x.example', problem: T.noteTooLong },
  ])
})

test('the last line of a repeated address wins, ignoring case', () => {
  const { entries, duplicates } = parseList(
    'Ana@x.example,first\nb@x.example\nana@X.example,last\nANA@x.example,really last',
  )
  assert.equal(duplicates, 2)
  assert.deepEqual(entries, [
    { line: 4, address: 'ANA@x.example', note: 'really last' },
    { line: 2, address: 'b@x.example', note: '' },
  ])
})

const word = fc.string({ unit: fc.constantFrom('a', 'Z', '0', '-', '_', '+', '.'), minLength: 1, maxLength: 12 })
const line = fc.oneof(
  fc.tuple(word, fc.constantFrom('x.example', 'a-b.example.org', '1.example')).map((parts) => parts.join('@')),
  fc.tuple(word, word).map(([name, note]) => `${name}@x.example,${note}`),
  fc.string({ unit: fc.constantFrom('a', '@', '.', ',', ';', '"', '<', ' ', '\t', 'é'), maxLength: 20 }),
  fc.string({ unit: 'binary', maxLength: 12 }),
)
const list = fc
  .tuple(fc.array(line, { maxLength: 30 }), fc.constantFrom('\n', '\r\n'))
  .map(([lines, end]) => lines.join(end))

test('removing the invalid lines keeps all addresses', () => {
  fc.assert(
    fc.property(list, (text) => {
      const { entries, wrong, duplicates } = parseList(text)
      const rest = parseList(withoutLines(text, wrong))
      assert.deepEqual([rest.wrong, rest.duplicates], [[], duplicates])
      assert.deepEqual(
        rest.entries.map(({ address, note }) => [address, note]),
        entries.map(({ address, note }) => [address, note]),
      )
    }),
    { numRuns: 500 },
  )
})

test('every non-empty line is an address, a duplicate or invalid', () => {
  fc.assert(
    fc.property(list, (text) => {
      const { entries, wrong, duplicates } = parseList(text)
      const lines = text.split(/\r?\n/).filter((one) => one.trim() !== '')
      assert.equal(entries.length + wrong.length + duplicates, lines.length)
    }),
  )
})

test('accepts no address that the gateway rejects', () => {
  const odd = ['.a@x.example', 'a..b@x.example', 'a.@x.example', 'é@x.example', 'a:b@x.example', 'a(b)@x.example']
  assert.deepEqual(addressesIn(odd.join('\n')), [])
  fc.assert(
    fc.property(list, (text) => {
      for (const address of addressesIn(text)) assert.notEqual(parseSuppressed(address), undefined, address)
    }),
    { numRuns: 500 },
  )
})

test('accepts no note that the gateway rejects', () => {
  const [entry] = parseList('a@x.example\tmoved\tto Lisbon').entries
  assert.ok(isSingleLine(entry?.note ?? ''))
  fc.assert(
    fc.property(list, (text) => {
      for (const { note } of parseList(text).entries) assert.ok(isSingleLine(note), JSON.stringify(note))
    }),
    { numRuns: 500 },
  )
})

test('rejects no address that the gateway accepts', () => {
  fc.assert(
    fc.property(fc.oneof(fc.emailAddress(), line), (text) => {
      const isPlain = !/[,;\t"\r\n]/.test(text) && text.trim() === text
      if (isPlain && parseSuppressed(text) !== undefined) assert.deepEqual(addressesIn(text), [text])
    }),
    { numRuns: 500 },
  )
})
