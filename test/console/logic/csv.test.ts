/** The CSV parser of bulk sends. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { CsvParser, type CsvRecord, toCsvLine } from '../../../console/src/pages/bulk/csv.ts'

/** Reads a text in pieces of this size. */
function parse(text: string, size = text.length + 1): readonly CsvRecord[] {
  const parser = new CsvParser()
  const records: CsvRecord[] = []
  for (let at = 0; at < text.length; at += size) records.push(...parser.push(text.slice(at, at + size)))
  const { records: last, unclosedIn } = parser.end()
  assert.equal(unclosedIn, undefined)
  return [...records, ...last]
}

const cellsOf = (text: string): readonly (readonly string[])[] => parse(text).map(({ cells }) => cells)

test('reads quotes, doubled quotes, line breaks and delimiters within quotes', () => {
  assert.deepEqual(cellsOf('to,message\r\n+1,"He said ""hi"", twice\r\nand left"\r\n+2,plain'), [
    ['to', 'message'],
    ['+1', 'He said "hi", twice\r\nand left'],
    ['+2', 'plain'],
  ])
})

for (const [name, delimiter] of [
  ['commas', ','],
  ['semicolons', ';'],
  ['tabs', '\t'],
] as const) {
  test(`detects ${name}, also where a quoted header contains others`, () => {
    const text = ['to', '"a,b;c\td,e;f\tg"', 'x', 'y'].join(delimiter)
    assert.deepEqual(cellsOf(`${text}\n1${delimiter}2${delimiter}3${delimiter}4\n`), [
      ['to', 'a,b;c\td,e;f\tg', 'x', 'y'],
      ['1', '2', '3', '4'],
    ])
  })
}

test('drops a byte order mark, and skips empty lines', () => {
  assert.deepEqual(cellsOf('\ufeffto,message\n\n+1,a\r\n\r\n'), [
    ['to', 'message'],
    ['+1', 'a'],
  ])
  assert.deepEqual(cellsOf('\ufeff"to",message\n'), [['to', 'message']])
})

test('keeps empty cells and cells of a single column', () => {
  assert.deepEqual(cellsOf('a,b,c\n,,\n"",x,'), [
    ['a', 'b', 'c'],
    ['', '', ''],
    ['', 'x', ''],
  ])
  assert.deepEqual(cellsOf('to\n+1\r+2'), [['to'], ['+1'], ['+2']])
})

test('a record has the line that it begins in', () => {
  const lines = parse('to,message\r\n+1,"one\r\ntwo\nthree"\n\n+2,x').map(({ line }) => line)
  assert.deepEqual(lines, [1, 2, 6])
})

test('says in which line an unclosed quote was opened', () => {
  const parser = new CsvParser()
  parser.push('to,message\n+1,"never\nclosed\n')
  assert.equal(parser.end().unclosedIn, 2)
})

test('an empty file has no records', () => {
  assert.deepEqual(parse(''), [])
  assert.deepEqual(parse('\ufeff\r\n'), [])
})

const cell = fc.string({ unit: fc.constantFrom('a', 'é', '🕊', ' ', '"', ',', ';', '\t', '\n', '\r'), maxLength: 6 })
const rows = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 6 })

test('reads back what it writes, in pieces of any size', () => {
  fc.assert(
    fc.property(rows, fc.integer({ min: 1, max: 7 }), (cells, size) => {
      // The header decides the delimiter.
      const text = [['x', 'y', 'z'], ...cells].map(toCsvLine).join('')
      const read = parse(text, size)
      assert.deepEqual(
        read.slice(1).map((record) => record.cells),
        cells,
      )
      assert.deepEqual(read, parse(text))
    }),
  )
})
