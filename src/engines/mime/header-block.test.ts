import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isKept, joinMail, splitMail } from './header-block.ts'

const name = fc.stringMatching(/^[!-9;-~]{1,20}$/).filter((text) => isKept({ name: text.toLowerCase(), text: '' }))
const octets = fc.uint8Array({ maxLength: 60 }).map((bytes) =>
  Buffer.from(bytes)
    .toString('latin1')
    .replace(/[\r\n]/g, ' '),
)
const field = fc
  .tuple(name, octets, fc.array(octets, { maxLength: 2 }))
  .map(([key, value, folded]) => [`${key}:${value}`, ...folded.map((line) => `\t${line}`)].join('\r\n'))
const body = fc.array(octets, { maxLength: 5 }).map((lines) => lines.join('\r\n'))

test('any mail with headers is the same after it was taken apart and put together', () => {
  fc.assert(
    fc.property(fc.array(field, { minLength: 1, maxLength: 8 }), body, (fields, text) => {
      const raw = Buffer.from(`${fields.join('\r\n')}\r\n\r\n${text}`, 'latin1')
      const split = splitMail(raw)
      assert.deepEqual([split.fields.length, split.fields.every(isKept)], [fields.length, true])
      assert.deepEqual(joinMail(split.fields, split.body), raw)
    }),
  )
})
