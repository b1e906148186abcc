import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { ERROR_CATEGORIES, toErrorCategory } from './error-category.ts'

test('maps codes to the categories of the SES error table', () => {
  for (const [code, category] of [
    ['SES_MESSAGE_REJECTED', 'PERMANENT_ERROR'],
    ['SES_MAIL_FROM_DOMAIN_NOT_VERIFIED', 'CONFIGURATION_ERROR'],
    ['SES_CONFIGURATION_SET_DOES_NOT_EXIST', 'CONFIGURATION_ERROR'],
    ['SES_ACCOUNT_SENDING_PAUSED', 'PERMANENT_ERROR'],
    ['SES_THROTTLING', 'QUOTA_ERROR'],
    ['SES_MAX_SEND_RATE_EXCEEDED', 'QUOTA_ERROR'],
    ['SES_DAILY_QUOTA_EXCEEDED', 'QUOTA_ERROR'],
    ['SES_SERVICE_UNAVAILABLE', 'TRANSIENT_ERROR'],
    ['SES_TIMEOUT', 'TIMEOUT_ERROR'],
    ['NETWORK_ERROR', 'TRANSIENT_ERROR'],
    ['INVALID_TEMPLATE', 'VALIDATION_ERROR'],
    ['ENDPOINT_MOVED', 'CONFIGURATION_ERROR'],
    ['HTTP_500', 'TRANSIENT_ERROR'],
    ['HTTP_503', 'TRANSIENT_ERROR'],
    ['HTTP_504', 'TIMEOUT_ERROR'],
  ] as const) {
    for (const willRetry of [true, false]) assert.equal(toErrorCategory(code, willRetry), category)
  }
})

test('maps every code to a category, an unknown code by whether it will be retried', () => {
  fc.assert(
    fc.property(fc.string(), fc.boolean(), (code, willRetry) => {
      assert.ok(ERROR_CATEGORIES.includes(toErrorCategory(code, willRetry)))
    }),
  )
  assert.equal(toErrorCategory('NOT_LISTED', true), 'TRANSIENT_ERROR')
  assert.equal(toErrorCategory('constructor', false), 'PERMANENT_ERROR')
})

const SOURCES = ['providers/*.ts', 'providers/*/*.ts']

/** How codes appear in the source: as an argument, a field, a constant or a key. */
const GIVEN = [
  /\b(?:for[A-Z]\w+|unknownOutcome|lost|dropped|failure)\(\s*'([A-Z][A-Z_]+)',/g,
  /\bcode: '([A-Z][A-Z_]+)',/g,
  /^const [A-Z]+ = '([A-Z]+_[A-Z_]+)'$/gm,
  /^ {2}([A-Z]+(?:_[A-Z]+)*): '/gm,
]

function givenCodes(): ReadonlySet<string> {
  const root = new URL('../..', import.meta.url).pathname
  const texts = globSync(SOURCES, { cwd: root })
    .filter((path) => !/\.(?:test|fixture)\.ts$/.test(path))
    .map((path) => readFileSync(`${root}${path}`, 'utf8'))
  return new Set(texts.flatMap((text) => GIVEN.flatMap((how) => [...text.matchAll(how)].map(([, code = '']) => code))))
}

test('lists every code that a provider or a receiving server can return', () => {
  const given = givenCodes()
  for (const code of ['HARD_BOUNCE', 'INVALID_SENDER_ID', 'POOL_TIMEOUT', 'SES_REJECTED', 'SKIPPED', 'SOFT_BOUNCE']) {
    assert.ok(given.has(code), `${code} is found`)
  }
  const unlisted = [...given].filter((code) => toErrorCategory(code, true) !== toErrorCategory(code, false))
  // Used for both temporary and permanent errors.
  assert.deepEqual(unlisted, ['MAILBOX_UNAVAILABLE'])
})

test('maps the codes of receiving servers to categories', () => {
  for (const [code, category] of [
    ['HARD_BOUNCE', 'PERMANENT_ERROR'],
    ['POLICY_REJECTED', 'PERMANENT_ERROR'],
    ['RELAY_DENIED', 'CONFIGURATION_ERROR'],
    ['QUOTA_EXCEEDED', 'QUOTA_ERROR'],
    ['MAILBOX_FULL', 'TRANSIENT_ERROR'],
    ['SOFT_BOUNCE', 'TRANSIENT_ERROR'],
  ] as const) {
    for (const willRetry of [true, false]) assert.equal(toErrorCategory(code, willRetry), category)
  }
})
