import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toPage } from './mail-page.ts'

const picture = (contentId: string, more: object = {}) => ({
  filename: 'a.png',
  contentType: 'image/png',
  content: 'iVBORw0KGgo=',
  contentId,
  ...more,
})
const DATA = 'data:image/png;base64,iVBORw0KGgo='
/** What becomes of the html, without what is put before it. */
const shown = (html: string, ...attachments: ReturnType<typeof picture>[]): string =>
  toPage({ html, attachments }).replace(/^<!doctype html>(<meta [^>]*>)+\n/, '')

test('the page carries its own Content-Security-Policy', () => {
  const page = toPage({ html: '<p>Hi</p>' })
  assert.match(
    page,
    /^<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:;/,
  )
  assert.match(page, /\n<p>Hi<\/p>$/)
})

test('inlines attached images', () => {
  for (const [html, page] of [
    ['<img src="cid:dove">', `<img src="${DATA}">`],
    ["<img src='CID:dove'>", `<img src='${DATA}'>`],
    ['<img src=cid:dove>', `<img src=${DATA}>`],
    ['<td background = " cid:dove">', `<td background = " ${DATA}">`],
    ['<p style="background: url(cid:dove)">', `<p style="background: url(${DATA})">`],
    ['<p>We write cid:dove</p>', '<p>We write cid:dove</p>'],
    ['<img src="cid:doves">', '<img src="cid:doves">'],
    ['<img src="https://acme.example/cid:dove">', '<img src="https://acme.example/cid:dove">'],
  ] as const) {
    assert.equal(shown(html, picture('dove')), page)
  }
})

test('inlines nothing but images', () => {
  const html = '<a href="cid:dove">'
  for (const more of [
    { contentType: 'text/html' },
    { contentType: 'image/png"onerror="x' },
    { contentType: 'image/png;charset=x' },
    { content: '"><script>' },
  ]) {
    assert.equal(shown(html, picture('dove', more)), html)
  }
})

test('bounds the length of a page with a repeated image', () => {
  const large = picture('dove', { content: 'A'.repeat(1024 * 1024) })
  const page = toPage({ html: '<img src="cid:dove">'.repeat(20_000), attachments: [large] })
  assert.ok(page.length < 18 * 1024 * 1024)
  assert.match(page, /cid:dove/)
})
