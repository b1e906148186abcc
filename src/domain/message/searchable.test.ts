import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seconds } from '../../lib/time.ts'
import type { EmailAddress } from '../email/address.ts'
import type { Content } from './message.ts'
import type { PhoneNumber } from './phone-number.ts'
import { toGist, toSearchable } from './searchable.ts'

const CONTENT: Content = {
  channel: 'sms',
  kind: 'sms',
  to: '+5511987654321' as PhoneNumber,
  body: 'Your code is 4711',
  metadata: { order: 'A-17' },
  tags: ['welcome'],
  callbackUrl: 'https://example.test/hook',
}

const INDEXED = { to: '+*******4321', toKey: 'key', tags: ['welcome'], metadata: { order: 'A-17' } }

test('indexes the masked recipient, its key, the tags and the metadata, and nothing else', () => {
  assert.deepEqual(
    toSearchable(CONTENT, () => 'key', false),
    INDEXED,
  )
})

test('indexes the text when the operator enables it', () => {
  assert.deepEqual(
    toSearchable(CONTENT, () => 'key', true),
    { ...INDEXED, body: 'Your code is 4711' },
  )
})

test('never indexes a text with a one-time code', () => {
  const content = { ...CONTENT, otp: { code: '471147', ttl: seconds(300), maxAttempts: 3 } }
  assert.deepEqual(
    toSearchable(content, () => 'key', true),
    INDEXED,
  )
})

test('indexes the distinct keys of all copy recipients of an email', () => {
  const box = (address: string) => ({ address: address as EmailAddress })
  const mail: Content = {
    channel: 'email',
    kind: 'email',
    to: 'ana@example.com' as EmailAddress,
    cc: [box('rui@example.com'), box('ana@example.com')],
    bcc: [box('eva@example.com'), box('rui@example.com')],
    subject: 'Fatura',
    html: '<p>Olá</p>',
    metadata: {},
    tags: [],
  }
  const keysOf = (content: Content) => toSearchable(content, (to) => `key of ${to}`, false).copyKeys
  assert.deepEqual(keysOf(mail), ['key of rui@example.com', 'key of eva@example.com'])
  const { cc: _, bcc: __, ...alone } = mail
  assert.deepEqual(keysOf(alone), [])
  assert.equal(keysOf(CONTENT), undefined)
})

test('the gist of an email has neither its files nor its source, and is searched the same', () => {
  const mail: Content = {
    channel: 'email',
    kind: 'email',
    to: 'ana@example.com' as EmailAddress,
    subject: 'Fatura',
    html: '',
    text: 'Hi '.repeat(100_000),
    attachments: [{ filename: 'a', contentType: 'text/plain', content: 'AAAA' }],
    source: { raw: 'AAAA', attachments: [] },
    metadata: {},
    tags: [],
  }
  const gist = toGist(mail)
  assert.ok(!('source' in gist) && !('attachments' in gist))
  assert.ok(JSON.stringify(gist).length < 50_000)
  const searched = (content: Content) => toSearchable(content, () => 'key', true)
  assert.deepEqual(searched(gist), searched(mail))
})
