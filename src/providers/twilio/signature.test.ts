import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import {
  getExpectedBodyHash,
  getExpectedTwilioSignature,
  validateRequest,
  validateRequestWithBody,
} from 'twilio/lib/webhooks/webhooks.js'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { CallbackRequest } from '../../ports/provider.ts'
import { readSigned, SIGNATURE_HEADER, toSignature } from './signature.ts'

const TOKEN = '12345'
const FORM = 'application/x-www-form-urlencoded'

const toRequest = (url: string, body: string | Uint8Array, signature?: string, type = FORM): CallbackRequest => ({
  method: 'POST',
  url,
  headers: new Headers(omitUndefined({ 'content-type': type, [SIGNATURE_HEADER]: signature })),
  body: Buffer.from(body),
})
const isAccepted = (request: CallbackRequest): boolean => readSigned(TOKEN, request) !== undefined

/** As Twilio's client parses a form. */
const toObject = (params: URLSearchParams): Record<string, string | string[]> =>
  Object.fromEntries(
    [...new Set(params.keys())].map((name) => {
      const [first = '', ...others] = params.getAll(name)
      return [name, others.length === 0 ? first : [first, ...others]]
    }),
  )

const anyText = fc.string({ unit: 'grapheme', maxLength: 12 }).filter((text) => text.isWellFormed())
const anyName = anyText.filter((name) => name.length > 0 && name !== '__proto__')
const anyParams = fc
  .array(fc.tuple(fc.oneof(anyName, fc.constantFrom('To', 'MessageStatus')), anyText), { maxLength: 8 })
  .map((pairs) => new URLSearchParams(pairs))
const anyUrl = fc
  .tuple(fc.constantFrom('http', 'https'), fc.constantFrom('', ':80', ':443', ':8443'), anyText)
  .map(([scheme, port, text]) => `${scheme}://pombo.example${port}/v1/callbacks/t?attempt=${encodeURIComponent(text)}`)

describe("Twilio's examples", () => {
  const url = 'https://mycompany.com/myapp.php?foo=1&bar=2'
  const params = new URLSearchParams({
    CallSid: 'CA1234567890ABCDE',
    Caller: '+14158675309',
    Digits: '1234',
    From: '+14158675309',
    To: '+18005551212',
  })

  test('of a form', () => {
    const signature = 'RSOYDt4T1cUTdK1PDd93/VVr8B8='
    assert.equal(toSignature(TOKEN, url, params), signature)
    assert.ok(isAccepted(toRequest(url, `${params}`, signature)))
  })

  test('of a body that is not a form', () => {
    const body = '{"property": "value", "boolean": true}'
    const hashed = `${url}&bodySHA256=0a1ff7634d9ab3b95db5c9a2dfe9416e41502b283a80c7cf19632632f96e6620`
    const signature = 'a9nBmqA0ju/hNViExpshrM61xv4='
    assert.ok(isAccepted(toRequest(hashed, body, signature, 'application/json')))
    assert.ok(!isAccepted(toRequest(hashed, `${body} `, signature, 'application/json')))
    assert.ok(!isAccepted(toRequest(url, body, toSignature(TOKEN, url, new URLSearchParams()), 'application/json')))
  })
})

describe("we agree with Twilio's client", () => {
  test("on each other's signatures", () => {
    fc.assert(
      fc.property(anyUrl, anyParams, (url, params) => {
        const theirs = getExpectedTwilioSignature(TOKEN, url, toObject(params))
        assert.equal(toSignature(TOKEN, url, params), theirs)
        assert.deepEqual(readSigned(TOKEN, toRequest(url, `${params}`, theirs)), params)
        assert.ok(validateRequest(TOKEN, toSignature(TOKEN, url, params), url, toObject(params)))
      }),
      { numRuns: 300 },
    )
  })

  test('on every variant of the port and the query', () => {
    const [bare, ported] = ['https://pombo.example/x?a=b%20c', 'https://pombo.example:443/x?a=b%20c']
    const quoted = "https://pombo.example/x?a=it's"
    for (const [signed, called] of [
      [bare, ported],
      [ported, bare],
      ['http://pombo.example:80/x', 'http://pombo.example/x'],
      ['http://[::1]:80/x', 'http://[::1]/x'],
      ['https://pombo.example/x', 'https://pombo.example:8443/x'],
      ["https://pombo.example/x?a=it's&b=%2B", 'https://pombo.example/x?a=it%27s&b=%2b'],
      [quoted, quoted],
    ] as const) {
      const params = new URLSearchParams({ To: '+1' })
      const signature = getExpectedTwilioSignature(TOKEN, signed, toObject(params))
      assert.equal(isAccepted(toRequest(called, `${params}`, signature)), true, `${signed} ${called}`)
      assert.ok(validateRequest(TOKEN, signature, called, toObject(params)), `${signed} ${called}`)
    }
  })

  const spellings = ["it's", 'it%27s'].flatMap((value) =>
    ['', ':443', ':8443'].map((port) => `https://pombo.example${port}/x?a=${value}&b=%2B`),
  )
  for (const signed of spellings) {
    for (const called of spellings) {
      test(`on ${signed} called as ${called}`, () => {
        const params = new URLSearchParams({ To: '+1' })
        const signature = getExpectedTwilioSignature(TOKEN, signed, toObject(params))
        const isValid = validateRequest(TOKEN, signature, called, toObject(params))
        assert.equal(isAccepted(toRequest(called, `${params}`, signature)), isValid)
        // A non-standard port can be removed, but not guessed.
        const isKnown = !signed.includes(':8443') || called.includes(':8443')
        assert.equal(isValid, isKnown && !(signed.includes(':443') && called.includes(':8443')))
      })
    }
  }

  test('on refusals, however the signed and the called URL are written', () => {
    const anyAddress = fc.record({
      scheme: fc.constantFrom('https://', 'http://', 'HTTPS://'),
      user: fc.constantFrom('', '', 'me@', 'me:12@'),
      host: fc.constantFrom('pombo.example', 'Pombo.example', '[::1]'),
      port: fc.constantFrom('', ':443', ':80', ':8443'),
      path: fc.constantFrom('', '/', '/x', "/it's", '/it%27s', '/a/../x'),
      query: fc.option(
        fc
          .array(fc.constantFrom("'", '%27', '%2B', '%2b', '+', '%20', '"', '%22', '=', '&', 'a', '%e9', '(', '%28'))
          .map((pieces) => `?${pieces.join('')}`),
        { nil: '' },
      ),
    })
    type Parts = typeof anyAddress extends fc.Arbitrary<infer Value> ? Value : never
    const toUrl = ({ scheme, user, host, port, path, query }: Parts) => scheme + user + host + port + path + query
    /** Two URLs that differ in some of their parts. */
    const anyPair = fc
      .tuple(anyAddress, anyAddress, fc.subarray(['port', 'query', 'path', 'user'] as const))
      .chain(([one, other, changed]) => {
        const mixed = Object.fromEntries(changed.map((key) => [key, other[key]]))
        const respelt = fc.constantFrom(one.query, one.query.replaceAll("'", '%27'), one.query.replaceAll('%27', "'"))
        return respelt.map((query) => [toUrl(one), toUrl({ ...one, query, ...mixed })] as const)
      })
    let accepted = 0
    fc.assert(
      fc.property(anyPair, anyParams, ([signed, called], params) => {
        const signature = getExpectedTwilioSignature(TOKEN, signed, toObject(params))
        const isValid = validateRequest(TOKEN, signature, called, toObject(params))
        assert.equal(isAccepted(toRequest(called, `${params}`, signature)), isValid, `${signed} ${called}`)
        if (isValid && signed !== called) accepted += 1
      }),
      { numRuns: 3000 },
    )
    assert.ok(accepted > 20, `${accepted} that differ were accepted`)
  })

  test('on the exact hash of a body that is not a form', () => {
    const body = '{"a":1}'
    const hash = getExpectedBodyHash(body)
    for (const query of [
      `bodySHA256=${hash}`,
      `bodySHA256=${hash.toUpperCase()}`,
      `bodySHA256=${hash}0`,
      `bodySHA256=0&bodySHA256=${hash}`,
      `body%53HA256=${hash}`,
      `xbodySHA256=${hash}`,
      'bodySHA256=',
    ]) {
      const url = `https://pombo.example/x?${query}`
      const signature = getExpectedTwilioSignature(TOKEN, url, {})
      const isValid = validateRequestWithBody(TOKEN, signature, url, body)
      assert.equal(isAccepted(toRequest(url, body, signature, 'application/json')), isValid, query)
    }
  })

  test('on any body that is not a form', () => {
    fc.assert(
      fc.property(anyText, (body) => {
        const url = `https://pombo.example/x?bodySHA256=${getExpectedBodyHash(body)}`
        const signature = getExpectedTwilioSignature(TOKEN, url, {})
        assert.ok(isAccepted(toRequest(url, body, signature, 'application/json')))
        assert.ok(validateRequestWithBody(TOKEN, signature, url, body))
      }),
    )
  })
})

describe('S1-P16 a callback that Twilio did not sign is refused', () => {
  const status = new URLSearchParams({ MessageSid: `SM${'0'.repeat(32)}`, MessageStatus: 'sent', To: '+15551234567' })
  const url = 'https://pombo.example/v1/callbacks/t?attempt=0190a0b0-0000-7000-8000-000000000000.1.1'
  const signature = toSignature(TOKEN, url, status)
  const body = Buffer.from(`${status}`)

  test('with any byte of the body changed', () => {
    fc.assert(
      fc.property(fc.nat(body.length - 1), fc.integer({ min: 1, max: 255 }), (at, by) => {
        const changed = Buffer.from(body)
        changed[at] = (changed[at] ?? 0) ^ by
        // Some changes yield an equivalent form, or move a byte from a name to its value, which is signed the same.
        fc.pre(toSignature(TOKEN, url, new URLSearchParams(changed.toString())) !== signature)
        assert.ok(!isAccepted(toRequest(url, changed, signature)))
      }),
      { numRuns: 1000 },
    )
  })

  test('with any byte of the URL or the signature changed, and without a signature', () => {
    const replaced = (text: string, at: number, by: string) => text.slice(0, at) + by + text.slice(at + 1)
    const character = fc.constantFrom(...'abcXYZ019+/=.-')
    fc.assert(
      fc.property(fc.nat(1000), character, (at, by) => {
        const address = replaced(url, 'https://'.length + (at % (url.length - 8)), by)
        const signed = replaced(signature, at % signature.length, by)
        // Host names are case-insensitive.
        if (URL.parse(address)?.href !== url) assert.ok(!isAccepted(toRequest(address, body, signature)), address)
        if (signed !== signature) assert.ok(!isAccepted(toRequest(url, body, signed)))
        assert.ok(!isAccepted(toRequest(url, body)))
        assert.ok(!isAccepted(toRequest(url, body, '')))
      }),
      { numRuns: 1000 },
    )
  })

  test('with any parameter added, changed or removed', () => {
    fc.assert(
      fc.property(anyName, anyText, fc.constantFrom(...status.keys()), (name, value, known) => {
        const added = new URLSearchParams(status)
        added.append(`x${name}`, value)
        const changed = new URLSearchParams(status)
        changed.set(known, `${status.get(known)}${name}`)
        const fewer = new URLSearchParams(status)
        fewer.delete(known)
        for (const params of [added, changed, fewer]) assert.ok(!isAccepted(toRequest(url, `${params}`, signature)))
      }),
      { numRuns: 300 },
    )
  })

  test('with another content type, method or token', () => {
    for (const type of ['application/json', 'text/plain', '']) {
      assert.ok(!isAccepted(toRequest(url, body, signature, type)))
      assert.ok(!isAccepted(toRequest(url, body, toSignature(TOKEN, url, new URLSearchParams()), type)))
    }
    assert.ok(!isAccepted({ ...toRequest(url, body, signature), method: 'GET' }))
    assert.equal(readSigned('another token', toRequest(url, body, signature)), undefined)
  })
})
