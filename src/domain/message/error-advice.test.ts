import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { CLASS_TEXTS, toErrorAdvice } from './error-advice.ts'
import { CATEGORY_OF, ERROR_CATEGORIES } from './error-category.ts'
import { ERROR_TEXTS } from './error-texts.ts'

const LISTED = new Set(Object.keys(ERROR_TEXTS))

/** How flows and rules name the error of a message. */
const GIVEN = [/\bcode: '([A-Z][A-Z_]+)'/g, /\bcode = '([A-Z][A-Z_]+)'/g, /\berrorCode: '([A-Z][A-Z_]+)'/g]
const HELPERS = [/\b(?:failed|recipient)\('([A-Z][A-Z_]+)'/g]
const SOURCES = [
  'flows/send/*.ts',
  'flows/receive/*.ts',
  'domain/message/*.ts',
  'domain/routing/*.ts',
  'domain/email/*.ts',
]

test('explains every code that Pombo gives a message itself', () => {
  const root = new URL('../..', import.meta.url).pathname
  const texts = globSync(SOURCES, { cwd: root })
    .filter((path) => !/\.(?:test|fixture)\.ts$/.test(path))
    .map((path) => readFileSync(`${root}${path}`, 'utf8'))
  const given = new Set(
    texts.flatMap((text) =>
      [...GIVEN, ...HELPERS].flatMap((how) => [...text.matchAll(how)].map(([, code = '']) => code)),
    ),
  )
  for (const code of [
    'ABANDONED',
    'EXPIRED',
    'NOT_RECEIVED',
    'NO_ROUTE_FOUND',
    'RECIPIENT_SUPPRESSED',
    'RESOLVED_NOT_SENT',
  ])
    assert.ok(given.has(code), `${code} is found`)
  assert.deepEqual(
    [...given].filter((code) => !LISTED.has(code)),
    [],
  )
})

test('explains every code that has a category, which every code of a provider has', () => {
  assert.deepEqual(
    [...CATEGORY_OF.keys()].filter((code) => !LISTED.has(code)),
    [],
  )
})

test('explains a code that is not listed by its class, whatever it is', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.constantFrom('constructor', 'TWILIO_30999', 'HTTP_503')),
      fc.boolean(),
      (code, willRetry) => {
        fc.pre(!LISTED.has(code))
        const { category, ...text } = toErrorAdvice(code, willRetry)
        assert.ok(ERROR_CATEGORIES.includes(category))
        assert.deepEqual(text, CLASS_TEXTS[category])
      },
    ),
  )
  assert.equal(toErrorAdvice('TWILIO_30999', false).category, 'PERMANENT_ERROR')
  assert.equal(toErrorAdvice('TWILIO_30999', true).category, 'TRANSIENT_ERROR')
})

test('every text is made of short sentences', () => {
  for (const { meaning, advice } of [...Object.values(ERROR_TEXTS), ...Object.values(CLASS_TEXTS)]) {
    for (const text of [meaning, advice]) {
      assert.match(text, /^[A-Z].*\.$/)
      assert.ok(text.length <= 200, text)
    }
  }
})
