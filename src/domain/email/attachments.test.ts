import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FieldProblem, noteIn } from '../requests/request-fields.ts'
import { type AttachmentFields, readAttachments } from './attachments.ts'

const FILE: AttachmentFields = { filename: 'a.txt', content_type: 'text/plain', content: 'aGk=' }
const BYTES_OF_FILE = 2

/** The paths of the refused fields. */
function refused(...files: readonly Partial<AttachmentFields>[]): readonly string[] {
  const problems: FieldProblem[] = []
  readAttachments(
    files.map((file) => ({ ...FILE, ...file })),
    noteIn(problems),
  )
  return problems.map(({ path }) => path)
}

test('accepts only canonical base64 and removes line breaks', () => {
  for (const content of ['', 'aGk=', 'aA==', 'aGkh', 'aGkh\naGkh\n', '+/+/']) assert.deepEqual(refused({ content }), [])
  for (const bad of ['a', 'aG', 'aGk', 'aGl=', 'aB==', '=', '====', 'aGk=aGk=', 'aGk-', 'aG k', 'aGkh=', 'aGk\0']) {
    assert.deepEqual(refused({ content: bad }), ['attachments/0/content'], bad)
  }
  const read = readAttachments([{ ...FILE, content: 'aGkh\r\naG\nk=' }], () => undefined)
  assert.deepEqual(read, [{ filename: 'a.txt', contentType: 'text/plain', content: 'aGkhaGk=' }])
})

test('accepts at most 5 MiB and 20 files', () => {
  const content = (bytes: number): string => Buffer.alloc(bytes).toString('base64')
  const MIB = 1024 * 1024
  assert.deepEqual(refused({ content: content(5 * MIB - BYTES_OF_FILE) }, {}), [])
  assert.deepEqual(refused({ content: content(5 * MIB - BYTES_OF_FILE + 1) }, {}), ['attachments'])
  assert.deepEqual(refused({ content: content(3 * MIB) }, { content: content(3 * MIB) }), ['attachments'])
  assert.deepEqual(refused(...Array(20).fill({})), [])
  assert.deepEqual(refused(...Array(21).fill({})), ['attachments'])
})

test('a filename is one line and not a path', () => {
  for (const filename of ['', ' ', 'a\nb', 'a/b', 'a\\b', 'a\u2028b', '\ud800', 'x'.repeat(256)]) {
    assert.deepEqual(refused({ filename }), ['attachments/0/filename'], filename)
  }
  for (const filename of ['Übersicht "2".pdf', 'x'.repeat(255)]) assert.deepEqual(refused({ filename }), [])
})

test('a content type has no parameters and is neither multipart nor message', () => {
  const types = ['text', 'text/', '/plain', 'text/plain; x=y', 'text/pl ain', 'te"xt/plain', "a'b/c", 'a/b*c', '-a/b']
  for (const type of [...types, 'Multipart/mixed', 'message/rfc822', 'Message/Partial', `a/${'b'.repeat(128)}`]) {
    assert.deepEqual(refused({ content_type: type }), ['attachments/0/content_type'], type)
  }
  for (const type of ['application/vnd.ms-excel', 'image/svg+xml'])
    assert.deepEqual(refused({ content_type: type }), [])
})

test('a content id is unique', () => {
  assert.deepEqual(refused({ content_id: 'x' }, {}, { content_id: 'x' }), ['attachments/2/content_id'])
  assert.deepEqual(refused({ content_id: 'logo@acme' }, { content_id: 'logo' }), [])
  for (const id of ['', '<x>', 'a b', 'a\n'])
    assert.deepEqual(refused({ content_id: id }), ['attachments/0/content_id'])
})
