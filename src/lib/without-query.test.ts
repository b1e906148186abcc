import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withoutQuery } from './without-query.ts'

test('hides the query of a URL', () => {
  assert.equal(withoutQuery('https://acme.example/hooks?token=secret&x=1?2'), 'https://acme.example/hooks?***')
  assert.equal(withoutQuery('https://acme.example/hooks'), 'https://acme.example/hooks')
})
