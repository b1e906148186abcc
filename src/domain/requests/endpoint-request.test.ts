import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type EndpointFields, endpointProblems, urlProblem } from './endpoint-request.ts'

const GOOD = [
  'https://acme.example/hooks?k=1',
  'HTTP://acme.example:8080',
  'http://[::1]/',
  'https://münchen.example/ü',
]

for (const url of GOOD) {
  test(`${url} is accepted`, () => assert.equal(urlProblem(url), undefined))
}

const BAD: readonly [url: string, problem: RegExp][] = [
  ['', /http or https/],
  ['acme.example', /http or https/],
  ['ftp://acme.example', /http or https/],
  ['https://', /http or https/],
  ['https:acme.example', /http or https/],
  ['https://exa mple.com', /http or https/],
  ['https://acme.example/\n', /http or https/],
  ['https://acme.example/\0', /http or https/],
  ['https://acme.example:99999', /http or https/],
  ['https://user@acme.example', /user name/],
  ['https://:word@acme.example', /password/],
  ['https://acme.example/#part', /fragment/],
  ['https://acme.example/#', /fragment/],
  [`https://acme.example/${'x'.repeat(2048)}`, /at most 2048/],
]

for (const [url, problem] of BAD) {
  test(`${JSON.stringify(url.slice(0, 40))} is refused`, () => assert.match(urlProblem(url) ?? 'good', problem))
}

test('a problem never repeats the URL, which may contain a secret', () => {
  for (const [url] of BAD.slice(1)) assert.ok(!urlProblem(url)?.includes(url))
})

const URL_FIELD = { url: 'https://acme.example' }
const FIELDS: readonly [what: string, fields: EndpointFields, paths: readonly string[]][] = [
  ['only a URL', URL_FIELD, []],
  ['no changes', {}, []],
  ['a removed description', { description: null }, []],
  ['a description', { description: 'Ordens é ação' }, []],
  ['the reserved id', { ...URL_FIELD, id: 'callback' }, ['/id']],
  ['an empty description', { description: '' }, ['/description']],
  ['a description with NUL', { description: 'a\0' }, ['/description']],
  ['a lone surrogate', { description: '\ud800' }, ['/description']],
  ['a description that is too long', { description: 'x'.repeat(201) }, ['/description']],
  ['only invalid fields', { id: 'callback', url: 'x', description: '' }, ['/id', '/url', '/description']],
]

for (const [what, fields, paths] of FIELDS) {
  test(`an endpoint with ${what} is ${paths.length === 0 ? 'accepted' : 'refused, by field'}`, () =>
    assert.deepEqual(
      endpointProblems(fields).map(({ path }) => path),
      paths,
    ))
}
