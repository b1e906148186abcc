/** The tests every store of templates must pass. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Template, type TemplateSummary, toExcerpt } from '../domain/directory/template.ts'
import { omitUndefined } from '../lib/omit-undefined.ts'
import { later, millis } from '../lib/time.ts'
import { MalformedCursor } from './malformed-cursor.ts'
import { NOON, present, tenant } from './samples.contract.ts'
import type { TemplateQuery, Templates } from './templates.ts'

const [NORTH, SOUTH] = [tenant('north'), tenant('south')]

export type OpenTemplates = () => Promise<Readonly<{ templates: Templates }> & AsyncDisposable>

export function templatesContract(engine: string, open: OpenTemplates): void {
  describe(`templates on ${engine}`, { timeout: 120_000 }, () => {
    versions(open)
    listing(open)
    removing(open)
  })
}

type Wanted = Partial<Omit<Template, 'version'>>

/** As lists show it. */
const listed = ({ texts, ...template }: Template): TemplateSummary => ({
  ...template,
  size: Buffer.byteLength(JSON.stringify(texts)),
  excerpt: toExcerpt(texts.text),
})

export const someTemplate = (wanted: Wanted = {}): Omit<Template, 'version'> => ({
  tenantId: NORTH,
  name: 'welcome',
  locale: 'en',
  channel: 'sms',
  texts: { text: 'Hi {{ name }}' },
  createdAt: NOON,
  ...wanted,
})

function versions(open: OpenTemplates): void {
  test('numbers versions from 1, and finds the newest as given', async () => {
    await using opened = await open()
    const { templates } = opened
    const first = await present(templates.add(someTemplate()))
    assert.deepEqual(first, { ...someTemplate(), version: 1 })
    const texts = { text: 'Olá "{{ name }}" 👍\n', subject: 'Olá', html: '<p>é</p>' }
    const next = someTemplate({ texts, channel: 'email', createdAt: later(NOON, millis(1)) })
    const second = await present(templates.add(next))
    assert.deepEqual(second, { ...next, version: 2 })
    assert.deepEqual(await templates.find(NORTH, 'welcome', ['en']), second)
    assert.deepEqual(await templates.versions({ ...someTemplate(), limit: 9 }), [listed(second), listed(first)])
    assert.deepEqual(await templates.version(someTemplate(), 1), first)
    assert.deepEqual(await templates.version(someTemplate(), 2), second)
    assert.equal(await templates.version(someTemplate(), 3), undefined)
  })

  test('concurrent versions are all stored, each with its own number', async () => {
    await using opened = await open()
    const { templates } = opened
    const texts = Array.from({ length: 20 }, (_, nth) => ({ text: `text ${nth}` }))
    const added = await Promise.all(texts.map((texts) => present(templates.add(someTemplate({ texts })))))
    const numbers = added.map(({ version }) => version).toSorted((a, b) => a - b)
    assert.deepEqual(
      numbers,
      numbers.map((_, nth) => nth + 1),
    )
    const newestFirst = added.toSorted((a, b) => b.version - a.version).map(listed)
    assert.deepEqual(await templates.versions({ ...someTemplate(), limit: 100 }), newestFirst)
    const page = { ...someTemplate(), limit: 7 }
    assert.deepEqual(await templates.versions(page), newestFirst.slice(0, 7))
    assert.deepEqual(await templates.versions({ ...page, before: 14 }), newestFirst.slice(7, 14))
    assert.deepEqual(await templates.versions({ ...page, before: 1 }), [])
  })

  test('lists how a text begins and how long it is, whatever it contains', async () => {
    await using opened = await open()
    const { templates } = opened
    const beginnings = ['', '"\\" \n \u0000 é 👍', '\\u0041', '"'.repeat(99), '👍'.repeat(99)]
    for (const [nth, begins] of beginnings.entries()) {
      const texts = { text: `${begins}${'é"\\👍'.repeat(2_000)}`, html: '<p>' }
      const template = await present(templates.add(someTemplate({ name: `n${nth}`, texts })))
      const { templates: found } = await templates.list({ tenantId: NORTH, name: `n${nth}`, limit: 1 })
      assert.deepEqual(found, [listed(template)])
    }
  })

  test('finds the first of the requested locales that exists', async () => {
    await using opened = await open()
    const { templates } = opened
    const english = await present(templates.add(someTemplate()))
    const portuguese = await present(templates.add(someTemplate({ locale: 'pt', texts: { text: 'Oi' } })))
    assert.deepEqual(await templates.find(NORTH, 'welcome', ['pt-BR', 'pt', 'en']), portuguese)
    assert.deepEqual(await templates.find(NORTH, 'welcome', ['en', 'pt']), english)
    assert.deepEqual(await templates.find(NORTH, 'welcome', ['fr', 'en']), english)
    assert.equal(await templates.find(NORTH, 'welcome', ['fr', 'EN']), undefined)
    assert.equal(await templates.find(NORTH, 'welcome', []), undefined)
    assert.equal(await templates.find(NORTH, 'other', ['en']), undefined)
  })

  test('names, locales and tenants are versioned separately', async () => {
    await using opened = await open()
    const { templates } = opened
    await templates.add(someTemplate())
    for (const other of [{ name: 'other' }, { locale: 'pt' }, { tenantId: SOUTH }]) {
      assert.equal((await present(templates.add(someTemplate(other)))).version, 1)
    }
    assert.equal((await templates.versions({ ...someTemplate(), limit: 9 })).length, 1)
    assert.deepEqual(await templates.versions({ ...someTemplate({ tenantId: SOUTH, locale: 'pt' }), limit: 9 }), [])
    assert.equal(await templates.version(someTemplate({ tenantId: SOUTH, locale: 'pt' }), 1), undefined)
    assert.equal(await templates.find(SOUTH, 'other', ['en']), undefined)
  })
}

function listing(open: OpenTemplates): void {
  const addAll = async (templates: Templates): Promise<readonly Template[]> => {
    const all: Template[] = []
    for (const name of ['a', 'a-b', 'a.b', 'b', 'welcome']) {
      for (const locale of ['en', 'pt', 'pt-BR']) {
        await templates.add(someTemplate({ name, locale }))
        all.push(await present(templates.add(someTemplate({ name, locale, texts: { text: 'newer' } }))))
      }
    }
    await templates.add(someTemplate({ tenantId: SOUTH }))
    return all
  }

  test('lists the newest version of each name and locale, page by page, in order', async () => {
    await using opened = await open()
    const { templates } = opened
    const all = await addAll(templates)
    const found: TemplateSummary[] = []
    let cursor: string | undefined
    do {
      const query: TemplateQuery = omitUndefined({ tenantId: NORTH, limit: 4, cursor })
      const page = await templates.list(query)
      assert.ok(page.templates.length <= 4)
      found.push(...page.templates)
      cursor = page.nextCursor
    } while (cursor !== undefined)
    assert.deepEqual(found, all.map(listed))
  })

  test('lists all locales of one name, and nothing for an unknown name', async () => {
    await using opened = await open()
    const { templates } = opened
    const all = await addAll(templates)
    const ofName = await templates.list({ tenantId: NORTH, name: 'a', limit: 9 })
    assert.deepEqual(ofName, { templates: all.filter(({ name }) => name === 'a').map(listed) })
    assert.deepEqual(await templates.list({ tenantId: NORTH, name: 'c', limit: 9 }), { templates: [] })
    assert.deepEqual(await templates.list({ tenantId: tenant('west'), limit: 9 }), { templates: [] })
    await assert.rejects(templates.list({ tenantId: NORTH, limit: 9, cursor: 'x/y/z' }), MalformedCursor)
  })
}

function removing(open: OpenTemplates): void {
  test('removes a locale with all its versions, and keeps the others', async () => {
    await using opened = await open()
    const { templates } = opened
    await templates.add(someTemplate())
    await templates.add(someTemplate())
    const portuguese = await present(templates.add(someTemplate({ locale: 'pt' })))
    const theirs = await present(templates.add(someTemplate({ tenantId: SOUTH })))
    assert.equal(await templates.remove(NORTH, 'welcome', 'fr'), false)
    assert.equal(await templates.remove(NORTH, 'welcome', 'en'), true)
    assert.equal(await templates.remove(NORTH, 'welcome', 'en'), false)
    assert.deepEqual(await templates.versions({ ...someTemplate(), limit: 9 }), [])
    assert.deepEqual(await templates.find(NORTH, 'welcome', ['en', 'pt']), portuguese)
    assert.deepEqual(await templates.find(SOUTH, 'welcome', ['en']), theirs)
  })

  test('removes a name with all its locales, which may then be used again', async () => {
    await using opened = await open()
    const { templates } = opened
    const other = await present(templates.add(someTemplate({ name: 'other' })))
    await templates.add(someTemplate())
    await templates.add(someTemplate({ locale: 'pt' }))
    assert.equal(await templates.remove(SOUTH, 'welcome'), false)
    assert.equal(await templates.remove(NORTH, 'welcome'), true)
    assert.equal(await templates.remove(NORTH, 'welcome'), false)
    assert.deepEqual(await templates.list({ tenantId: NORTH, limit: 9 }), { templates: [listed(other)] })
    const anew = await present(templates.add(someTemplate({ texts: { text: 'anew' } })))
    assert.deepEqual(await templates.find(NORTH, 'welcome', ['pt', 'en']), anew)
  })
}
