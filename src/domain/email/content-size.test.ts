import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EmailContent } from '../message/message.ts'
import type { EmailAddress } from './address.ts'
import { sizeOf } from './content-size.ts'

const MAIL: EmailContent = {
  channel: 'email',
  kind: 'email',
  to: 'ana@example.com' as EmailAddress,
  subject: 'Hello',
  html: '<p>Hello</p>',
  metadata: {},
  tags: [],
}
const attached = (characters: number) => ({
  filename: 'a',
  contentType: 'text/plain',
  content: 'A'.repeat(characters),
})

test('only large content has a size', () => {
  assert.equal(sizeOf(MAIL), undefined)
  assert.equal(sizeOf({ ...MAIL, html: 'x'.repeat(512 * 1024) }), 512)
  assert.equal(sizeOf({ ...MAIL, attachments: [attached(40_000), attached(40_000)] }), 79)
  assert.equal(sizeOf({ ...MAIL, source: { raw: 'A'.repeat(100 * 1024), attachments: [] } }), 101)
})
