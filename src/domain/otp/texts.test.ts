import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toSegmentation } from '../message/segments.ts'
import { bindToDomain, toBuiltInText } from './texts.ts'

const WORDS = { code: '012345', minutes: 5 }

test('the text contains the code, the app name and the lifetime', () => {
  assert.equal(
    toBuiltInText({ ...WORDS, appName: 'Acme' }),
    '012345 is your Acme code. Do not share it. It expires in 5 min.',
  )
  assert.equal(toBuiltInText(WORDS), '012345 is your code. Do not share it. It expires in 5 min.')
})

const LOCALES: readonly [locale: string, text: RegExp][] = [
  ['en', / is your /],
  ['en-GB', / is your /],
  ['pt', / é o seu código/],
  ['pt-BR', / é o seu código/],
  ['PT-br', / é o seu código/],
  ['es-419', / es tu código/],
  ['ja', / is your /],
  ['constructor', / is your /],
]
for (const [locale, text] of LOCALES) {
  test(`the text for ${locale} is in the nearest available language`, () => {
    assert.match(toBuiltInText({ ...WORDS, locale }), text)
  })
}

test('falls back to the default locale', () => {
  assert.match(toBuiltInText({ ...WORDS, locale: 'ja' }, 'pt'), / é o seu código/)
  assert.match(toBuiltInText(WORDS, 'es'), / es tu código/)
  assert.match(toBuiltInText(WORDS, 'fi'), / is your /)
})

test('every text fits one SMS with an app name of ten letters', () => {
  for (const locale of ['en', 'pt', 'es']) {
    const text = toBuiltInText({ code: '000000', minutes: 60, appName: 'Minha Loja', locale })
    assert.equal(toSegmentation(text).segments, 1, text)
  }
})

test('the last line binds the code to a domain', () => {
  assert.equal(
    bindToDomain('Your code is 012345.', '012345', 'acme.example').split('\n').at(-1),
    '@acme.example #012345',
  )
})
