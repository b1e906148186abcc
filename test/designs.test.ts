/** docs/designs.md names files that exist, and for each property tests that name it. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const ROOT = join(import.meta.dirname, '..')
const ROWS = readFileSync(join(ROOT, 'docs/designs.md'), 'utf8')
  .split('\n')
  .filter((line) => /^\| (?!Requirement|Property)/.test(line))

/** Code that is a path: letters, a slash, no spaces, and not an operation such as `/v1/sms`. */
const PATH = /`([a-z][\w-]*\/[\w./-]+)`/g
const IN_ROOT = /^(?:deploy|docs|test)\//
const pathsIn = (text: string): readonly string[] =>
  [...text.matchAll(PATH)].map(([, path = '']) => (IN_ROOT.test(path) ? path : `src/${path}`))

test('every file that the designs page names exists', () => {
  const paths = ROWS.flatMap(pathsIn)
  assert.ok(paths.length > 150)
  assert.deepEqual(
    paths.filter((path) => !existsSync(join(ROOT, path))),
    [],
  )
})

test('every requirement names its test in the last column', () => {
  const untested = ROWS.filter((row) => !pathsIn(lastCell(row)).some((path) => /test|contract|test\//.test(path)))
  assert.deepEqual(untested, [])
})

const lastCell = (row: string): string => row.split('|').at(-2) ?? ''

test('the tests of a property name it', () => {
  const properties = ROWS.flatMap((row) => /^\| `(S\d-[A-Z0-9]+)` \|/.exec(row)?.[1]?.concat('\n', lastCell(row)) ?? [])
  assert.equal(properties.length, 17 + 4 + 3 + 2 + 11)
  for (const property of properties) {
    const [name = '', cell = ''] = property.split('\n')
    for (const path of pathsIn(cell)) {
      assert.match(readFileSync(join(ROOT, path), 'utf8'), new RegExp(`\\b${name}\\b`), `${path} does not name ${name}`)
    }
  }
})
