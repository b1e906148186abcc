import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { toCsvLine } from './csv.ts'

/** Reads lines as RFC 4180 defines them. */
function parseCsv(text: string): readonly (readonly string[])[] {
  const lines: string[][] = [[]]
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy
  for (let match = cell.exec(text); match !== null; match = cell.exec(text)) {
    const [, quoted, plain = '', end] = match
    lines.at(-1)?.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    if (end === '\r\n') lines.push([])
    if (cell.lastIndex === text.length) break
  }
  assert.deepEqual(lines.pop(), [], text)
  return lines
}

const awkward = fc.string({
  unit: fc.oneof(
    fc.constantFrom(...'=+-@\t\r\n",\'; ＝＠0a'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  ),
  maxLength: 12,
})
const table = fc.array(fc.array(awkward, { minLength: 1, maxLength: 6 }), { maxLength: 6 })

test('CSV-P1 whatever the cells contain, a reader gets them back, but for an apostrophe before a formula', () => {
  fc.assert(
    fc.property(table, (rows) => {
      const read = parseCsv(rows.map(toCsvLine).join(''))
      assert.equal(read.length, rows.length)
      for (const [line, cells] of rows.entries()) {
        assert.equal(read[line]?.length, cells.length)
        for (const [column, cell] of cells.entries()) {
          const got = read[line]?.[column] ?? ''
          assert.ok(got === cell || got === `'${cell}`, JSON.stringify({ cell, got }))
        }
      }
    }),
  )
})

test('CSV-P2 no cell begins as a formula', () => {
  fc.assert(
    fc.property(table, (rows) => {
      const cells = parseCsv(rows.map(toCsvLine).join('')).flat()
      assert.ok(cells.every((cell) => !/^[=+\-@\t\r\n＝＋－＠]/.test(cell)))
    }),
  )
})

test('writes ordinary cells as they are', () => {
  assert.equal(toCsvLine(['a', '', '1.5', "it's"]), "a,,1.5,it's\r\n")
  assert.equal(toCsvLine(['say "hi", then', '=cmd|calc', '-1']), '"say ""hi"", then",\'=cmd|calc,\'-1\r\n')
})
