import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TenantId } from '../domain/ids.ts'
import { NO_STORED_SENDERS, sendersInWords } from './sender-words.ts'

const [acme, other] = ['acme' as TenantId, 'other' as TenantId]

test('says that all senders are allowed unless a tenant has a list or a verified domain', () => {
  const all = 'all senders allowed: no tenant has a list of senders or a verified domain'
  assert.equal(sendersInWords([], NO_STORED_SENDERS), all)
  assert.equal(sendersInWords([{ id: acme }], NO_STORED_SENDERS), all)
})

test('counts lists and verified domains, says what the other tenants may use, and ignores a stored tenant that the file describes', () => {
  const file = [{ id: acme, senders: [] }, { id: other }]
  const rest = 'tenants without a list may use all other senders'
  assert.equal(
    sendersInWords(file, { lists: [other, 'third'], verified: 1 }),
    `restricted by the lists of 2 tenants and by 1 verified domain; ${rest}`,
  )
  assert.equal(
    sendersInWords(file, NO_STORED_SENDERS),
    `restricted by the lists of 1 tenant and by 0 verified domains; ${rest}`,
  )
})
