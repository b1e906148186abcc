import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type OtpRequest, parseOtpGuess, parseOtpRequest } from './otp-request.ts'

const TO = '+5511987654321'
const ID = '3f1c9f0e-5f0a-8c6e-9d57-0b6f0a3c2e11'

test('defaults to five minutes and three attempts', () => {
  assert.deepEqual(parseOtpRequest({ to: TO }), {
    kind: 'ok',
    terms: { channel: 'sms', to: TO, ttl: 300_000, maxAttempts: 3 },
  })
})

test('accepts all fields', () => {
  const request = {
    to: TO,
    channel: 'sms',
    ttl_seconds: 30,
    max_attempts: 10,
    app_name: ' Ação & Co ',
    locale: 'pt-BR',
  }
  assert.deepEqual(parseOtpRequest(request as OtpRequest), {
    kind: 'ok',
    terms: { channel: 'sms', to: TO, ttl: 30_000, maxAttempts: 10, appName: 'Ação & Co', locale: 'pt-BR' },
  })
})

test('accepts an email address and normalizes its domain', () => {
  assert.deepEqual(parseOtpRequest({ to: 'Ann@EXAMPLE.com', channel: 'email' }), {
    kind: 'ok',
    terms: { channel: 'email', to: 'Ann@example.com', ttl: 300_000, maxAttempts: 3 },
  })
})

test('normalizes the locale', () => {
  const [one, other] = [parseOtpRequest({ to: TO, locale: 'pt-br' }), parseOtpRequest({ to: TO, locale: 'PT-BR' })]
  assert.deepEqual(one, other)
})

const BAD: readonly [request: OtpRequest, paths: readonly string[]][] = [
  [{ to: '11987654321' }, ['/to']],
  [{ to: 'ann@example.com' }, ['/to']],
  [{ to: 'ann@example.com', channel: 'sms' }, ['/to']],
  [{ to: TO, channel: 'email' }, ['/to']],
  [{ to: 'Ann <ann@example.com>', channel: 'email' }, ['/to']],
  [{ to: 'ann@example.com\r\nBcc: eve@example.com', channel: 'email' }, ['/to']],
  [{ to: TO, app_name: '  ' }, ['/app_name']],
  [{ to: TO, app_name: 'a\n\n@evil.example #111111' }, ['/app_name']],
  [{ to: TO, app_name: 'a\u2028b' }, ['/app_name']],
  [{ to: TO, app_name: 'a\0b' }, ['/app_name']],
  [{ to: TO, app_name: '\ud800' }, ['/app_name']],
  [{ to: TO, app_name: 'a'.repeat(41) }, ['/app_name']],
  [{ to: TO, locale: 'portuguese!' }, ['/locale']],
  [{ to: '', app_name: '', locale: '' }, ['/to', '/app_name', '/locale']],
]
for (const [request, paths] of BAD) {
  test(`${JSON.stringify(request)} is refused by ${paths.join(' and ')}`, () => {
    const parsed = parseOtpRequest(request)
    assert.ok(parsed.kind === 'bad')
    assert.deepEqual(
      parsed.problems.map(({ path }) => path),
      paths,
    )
  })
}

test('a code has the asked length and alphabet, and six digits are the default', () => {
  const shapeOf = (request: Partial<OtpRequest>) => {
    const parsed = parseOtpRequest({ to: TO, ...request })
    return parsed.kind === 'ok' ? parsed.terms.shape : parsed.problems
  }
  assert.deepEqual(shapeOf({ code_length: 8 }), { length: 8, alphabet: 'numeric' })
  assert.deepEqual(shapeOf({ code_alphabet: 'alphanumeric' }), { length: 6, alphabet: 'alphanumeric' })
  assert.equal(shapeOf({ code_length: 6, code_alphabet: 'numeric' }), undefined)
})

const ATTEMPTS: readonly [request: Partial<OtpRequest>, isAllowed: boolean][] = [
  [{ code_length: 4, max_attempts: 5 }, true],
  [{ code_length: 4, max_attempts: 6 }, false],
  [{ code_length: 5, max_attempts: 6 }, false],
  [{ code_length: 6, max_attempts: 10 }, true],
  [{ code_length: 4, code_alphabet: 'alphanumeric', max_attempts: 6 }, false],
  [{ code_length: 5, code_alphabet: 'alphanumeric', max_attempts: 10 }, true],
]
for (const [request, isAllowed] of ATTEMPTS) {
  test(`${JSON.stringify(request)} is ${isAllowed ? 'allowed' : 'too easy to guess'}`, () => {
    const parsed = parseOtpRequest({ to: TO, ...request })
    const paths = parsed.kind === 'ok' ? [] : parsed.problems.map(({ path }) => path)
    assert.deepEqual(paths, isAllowed ? [] : ['/max_attempts'])
  })
}

test('a guess has a challenge id, a code and perhaps a recipient', () => {
  assert.deepEqual(parseOtpGuess({ challenge_id: ID.toUpperCase(), code: '001234' }), { id: ID, code: '001234' })
  const guess = { id: ID, code: 'k7Wx' }
  assert.deepEqual(parseOtpGuess({ challenge_id: ID, code: 'k7Wx', to: TO }), { ...guess, to: TO })
  const address = 'Ann@example.com'
  assert.deepEqual(parseOtpGuess({ challenge_id: ID, code: 'k7Wx', to: 'Ann@EXAMPLE.com' }), { ...guess, to: address })
})

for (const code of ['', '123', '12345678901', ' 12345', '12 345', '123456\n', '１２３４５６', '-12345', 'é12345']) {
  test(`${JSON.stringify(code)} is not a code`, () => {
    assert.deepEqual(parseOtpGuess({ challenge_id: ID, code }), [
      { path: '/code', message: 'must be 4 to 10 digits, or letters and digits' },
    ])
  })
}

for (const to of ['', '1198', 'nobody', 'ann@localhost']) {
  test(`a code is for nobody whose address is ${JSON.stringify(to)}`, () => {
    const problems = parseOtpGuess({ challenge_id: ID, code: '001234', to })
    assert.ok(Array.isArray(problems))
    assert.deepEqual(
      problems.map(({ path }) => path),
      ['/to'],
    )
  })
}

test('reports both invalid fields of a guess', () => {
  const problems = parseOtpGuess({ challenge_id: 'x', code: 'y' })
  assert.ok(Array.isArray(problems))
  assert.deepEqual(
    problems.map(({ path }) => path),
    ['/challenge_id', '/code'],
  )
})
