/** What the palette finds, what it asks the API for, and which searches it remembers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'

const load = async <File>(path: string): Promise<File> =>
  (await import(new URL(`../../../console/src/palette/${path}`, import.meta.url).href)) as File

type Named = Readonly<{ name: string; words?: string }>
type Store = Readonly<{ getItem: (key: string) => string | null; setItem: (key: string, value: string) => void }>

const { find } = await load<{ find: (text: string, entries: readonly Named[]) => readonly Named[] }>('entry.ts')
const { toSearchText, toMessageId } = await load<{
  toSearchText: (text: string) => string
  toMessageId: (text: string) => string | undefined
}>('message-query.ts')
const { addSearch, readSearches, isPersonal } = await load<{
  addSearch: (storage: Store, tenant: string, text: string) => void
  readSearches: (storage: Store, tenant: string) => readonly string[]
  isPersonal: (text: string) => boolean
}>('recent.ts')

const namesOf = (found: readonly Named[]): readonly string[] => found.map(({ name }) => name)

test('finds by the beginnings of words, in any order and case, names before other words', () => {
  const entries = [{ name: 'Sign out', words: 'send away' }, { name: 'Create an API key' }, { name: 'Send a message' }]
  assert.deepEqual(namesOf(find('send', entries)), ['Send a message', 'Sign out'])
  assert.deepEqual(namesOf(find('KEY api', entries)), ['Create an API key'])
  assert.deepEqual(namesOf(find('essage', entries)), [])
  assert.equal(find('', entries).length, 3)
})

test('searches for what was typed, and knows a whole id', () => {
  assert.equal(toSearchText(' order A-17 '), 'order A-17')
  assert.equal(toSearchText('x'.repeat(300)).length, 200)
  assert.equal(toMessageId('3F1C9F0E-5f0a-8c6e-9d57-0b6f0a3c2e11'), '3f1c9f0e-5f0a-8c6e-9d57-0b6f0a3c2e11')
  assert.equal(toMessageId('3f1c9f0e'), undefined)
})

test('remembers the latest searches of a tenant, never a number or an address', () => {
  const kept = new Map<string, string>()
  const storage: Store = { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => void kept.set(key, value) }
  for (const text of ['a', 'b', 'c', '+1 500 555 0100', 'ana@mail.example', 'd', 'e', 'f', 'c', ' '])
    addSearch(storage, 'acme', text)
  assert.deepEqual(readSearches(storage, 'acme'), ['c', 'f', 'e', 'd', 'b'])
  assert.deepEqual(readSearches(storage, 'other'), [])
  assert.ok(![...kept.values()].some((text) => text.includes('0100') || text.includes('@')))
  kept.set('pombo.searches', '{')
  assert.deepEqual(readSearches(storage, 'acme'), [])
})

test('takes every way to write a phone number for one', () => {
  const between = fc.constantFrom('', ' ', '-', '.', ' (', ') ', '/')
  const number = fc.array(fc.tuple(fc.integer({ min: 0, max: 9 }), between), { minLength: 6, maxLength: 15 })
  fc.assert(
    fc.property(number, (parts) => assert.ok(isPersonal(`+${parts.map(([digit, gap]) => `${digit}${gap}`).join('')}`))),
  )
  for (const text of ['order 1138', 'A-1042', 'UNREACHABLE']) assert.ok(!isPersonal(text), text)
})
