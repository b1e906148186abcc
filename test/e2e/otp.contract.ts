/** One-time codes over HTTP, as seen by the application and by the person who receives them. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import type { MessageDetails } from '../../src/api/messages/message-schemas.ts'
import { codeAt, freshMailbox, type Generated, type Validated, wrongFor } from '../support/otp.ts'
import { freshNumber, inboxOf, kindsOf } from '../support/sms.ts'
import type { TimedGateway } from '../support/timed-gateway.ts'
import { until } from '../support/until.ts'

type Problem = Readonly<{ error_code: string; retry_after?: number; details?: readonly { path: string }[] }>

type Page = Readonly<{ items: readonly MessageDetails[] }>

const SECOND_MS = 1_000
/** At once: fewer than would be refused because they are wrong. */
const GUESSES = 60
/** After that, as many wrong codes are admitted again. */
const UNTIL_ADMITTED_MS = 10_000

const maskOf = (to: string): string => (to.includes('@') ? 'a***@mail.example' : `+*******${to.slice(-4)}`)

export function otpContract(gateway: TimedGateway): void {
  const generate = (request: object = {}) =>
    gateway.call<Generated & Problem>('POST', '/v1/otp/generate', {
      to: freshNumber(),
      idempotency_key: randomUUID(),
      ...request,
    })
  const validate = async (challengeId: string, code: unknown) => {
    const { status, body } = await gateway.call<Validated & Problem>('POST', '/v1/otp/validate', {
      challenge_id: challengeId,
      code,
    })
    return { http: status, ...body }
  }
  async function challenge(request: object = {}, to = freshNumber()) {
    const { status, body, text } = await generate({ to, ...request })
    assert.equal(status, 202, text)
    return { to, id: body.challenge_id, requestId: body.request_id, code: await codeAt(gateway, to) }
  }
  const challengeByMail = (request: object = {}) => challenge({ channel: 'email', ...request }, freshMailbox())
  const show = async (id: string) => (await gateway.call<MessageDetails>('GET', `/v1/messages/${id}`)).body

  describe('a code', () => {
    test('S1-P5 S1-P6 verifies once', async () => {
      const { id, code } = await challenge()
      const verified = await validate(id, code)
      assert.deepEqual([verified.http, verified.valid, verified.status], [200, true, 'verified'])
      const again = await validate(id, code)
      assert.deepEqual([again.valid, again.status], [false, 'already_verified'])
    })

    test('S1-P7 allows a limited number of attempts', async () => {
      const { id, code } = await challenge({ max_attempts: 2 })
      const wrong = wrongFor(code)
      const [first, last, late] = [await validate(id, wrong), await validate(id, wrong), await validate(id, code)]
      assert.deepEqual([first.status, first.attempts_remaining], ['invalid', 1])
      assert.deepEqual([last.status, last.attempts_remaining], ['exhausted', 0])
      assert.deepEqual([late.valid, late.status], [false, 'exhausted'])
    })

    test('S1-P8 is invalid after it expires', async () => {
      const { id, code } = await challenge({ ttl_seconds: 30 })
      gateway.advance(30 * SECOND_MS)
      const late = await validate(id, code)
      assert.deepEqual([late.valid, late.status], [false, 'expired'])
    })

    test('allows a limited number of concurrent attempts', async () => {
      const { id, code } = await challenge({ max_attempts: 3 })
      const answers = await Promise.all(Array.from({ length: GUESSES }, () => validate(id, wrongFor(code))))
      const count = (status: string): number => answers.filter((answer) => answer.status === status).length
      const refused = answers.filter(({ http }) => http === 429).length
      assert.deepEqual([count('invalid'), count('exhausted') + refused], [2, GUESSES - 2])
      assert.equal((await validate(id, code)).status, 'exhausted')
      gateway.advance(UNTIL_ADMITTED_MS)
    })

    test('verifies once for concurrent attempts', async () => {
      const { id, code } = await challenge({ max_attempts: 10 })
      const answers = await Promise.all(Array.from({ length: GUESSES }, () => validate(id, code)))
      assert.equal(answers.filter(({ status }) => status === 'verified').length, 1)
      assert.equal(answers.filter(({ valid }) => valid).length, 1)
      gateway.advance(UNTIL_ADMITTED_MS)
    })

    test('is sent in the requested language', async () => {
      const { to } = await challenge({ locale: 'pt-BR', app_name: 'Acme' })
      const [received] = await inboxOf(gateway, to)
      assert.match(received?.body ?? '', /Acme/)
      assert.match(received?.body ?? '', /código/)
    })

    test('has the asked length and letters, is canceled, and is for one recipient', async () => {
      const to = freshNumber()
      const { body } = await generate({ to, code_length: 8, code_alphabet: 'alphanumeric' })
      const id = body.challenge_id
      const code = await until(
        'the code',
        async () => /\b[2-9B-Z]{8}\b/.exec((await inboxOf(gateway, to))[0]?.body ?? '')?.[0],
      )
      const check = (recipient: string) =>
        gateway.call<Validated>('POST', '/v1/otp/validate', { challenge_id: id, code, to: recipient })
      const stranger = await check(freshNumber())
      assert.deepEqual([stranger.body.status, stranger.body.attempts_remaining], ['invalid', 2])
      assert.equal((await check(to)).body.status, 'verified')
      const show = async (challengeId: string) =>
        (await gateway.call<Readonly<{ status: string; to: string }>>('GET', `/v1/otp/${challengeId}`)).body
      const { status, to: masked } = await show(id)
      assert.deepEqual([status, masked], ['verified', maskOf(to)])

      const withdrawn = await challenge()
      await gateway.call('POST', `/v1/otp/${withdrawn.id}/cancel`)
      assert.equal((await validate(withdrawn.id, withdrawn.code)).status, 'canceled')
      assert.equal((await show(withdrawn.id)).status, 'canceled')
    })

    test('is sent again as it was', async () => {
      const { id, to, code } = await challenge()
      await until(
        'the message to be sent',
        async () => (await gateway.call('POST', `/v1/otp/${id}/resend`)).status === 202,
      )
      const received = await until('both messages', async () => {
        const all = await inboxOf(gateway, to)
        return all.length === 2 && all
      })
      assert.equal(new Set(received.map(({ body }) => body)).size, 1)
      assert.equal((await validate(id, code)).status, 'verified')
    })

    test('is refused after ten wrong ones for one recipient in an hour, over all challenges', async () => {
      const to = freshNumber()
      const sent = [await generate({ to, max_attempts: 9 }), await generate({ to, max_attempts: 9 })]
      const guesses = sent.flatMap(({ body }) => Array.from({ length: 6 }, () => body.challenge_id))
      const answers = []
      for (const id of guesses) answers.push(await validate(id, '000000'))
      const refused = answers.filter(({ http }) => http === 429)
      assert.deepEqual([refused.length, refused[0]?.error_code], [2, 'TOO_MANY_ATTEMPTS'])
      assert.equal((await generate({ to })).status, 429)
      gateway.advance(UNTIL_ADMITTED_MS)
    })

    test('that is not six digits is refused and costs no attempt', async () => {
      const { id, code } = await challenge({ max_attempts: 1 })
      for (const bad of ['12345', '1234567', '12a456', ' 123456', '', 123456, null]) {
        const refused = await validate(id, bad)
        assert.deepEqual([refused.http, refused.error_code], [400, 'VALIDATION_ERROR'], JSON.stringify(bad))
      }
      assert.equal((await validate(id, code)).status, 'verified')
    })

    test('of an unknown challenge or another tenant gets 404', async () => {
      const unknown = await validate(randomUUID(), '123456')
      assert.deepEqual([unknown.http, unknown.error_code], [404, 'NOT_FOUND'])
    })
  })

  describe('a code by mail', () => {
    test('S1-P5 S1-P6 S1-P7 verifies once and allows a limited number of attempts', async () => {
      const { id, code } = await challengeByMail()
      assert.deepEqual(
        [(await validate(id, code)).status, (await validate(id, code)).status],
        ['verified', 'already_verified'],
      )
      const other = await challengeByMail({ max_attempts: 1 })
      const answers = [await validate(other.id, wrongFor(other.code)), await validate(other.id, other.code)]
      assert.deepEqual(
        answers.map(({ status }) => status),
        ['exhausted', 'exhausted'],
      )
    })

    test('is sent once, in the requested language', async () => {
      const { to } = await challengeByMail({ locale: 'pt-BR', app_name: 'Acme & Filhos' })
      const received = await inboxOf(gateway, to)
      assert.equal(received.length, 1)
      assert.match(received[0]?.body ?? '', /Seu código Acme & Filhos é:/)
    })

    test('has a timeline like any message, with a masked recipient', async () => {
      const { requestId } = await challengeByMail()
      const { channel, lane, to, encoding } = await show(requestId)
      assert.deepEqual([channel, lane, to, encoding], ['email', 'otp', 'a***@mail.example', 'mime'])
    })

    test('requires an email address, and one by SMS a phone number', async () => {
      for (const bad of [{ channel: 'email' }, { to: freshMailbox() }, { to: freshMailbox(), channel: 'sms' }]) {
        const { status, body } = await generate(bad)
        assert.deepEqual([status, body.details?.map(({ path }) => path)], [400, ['/to']], JSON.stringify(bad))
      }
    })

    test('S1-P9 is refused after five for one mailbox in ten minutes, in any spelling of its address', async () => {
      const to = freshMailbox()
      for (let sent = 0; sent < 5; sent += 1) assert.equal((await generate({ to, channel: 'email' })).status, 202)
      const sixth = await generate({ to: to.toUpperCase(), channel: 'email' })
      assert.deepEqual([sixth.status, sixth.body.error_code], [429, 'RATE_LIMITED'])
    })
  })

  describe('requesting a code', () => {
    test('again with the same key returns the same answer and sends nothing', async () => {
      const request = { to: freshNumber(), idempotency_key: randomUUID() }
      const answers = await Promise.all(Array.from({ length: 20 }, () => generate(request)))
      assert.deepEqual([...new Set(answers.map(({ text }) => text))].length, 1)
      const code = await codeAt(gateway, request.to)
      assert.equal((await inboxOf(gateway, request.to)).length, 1)
      // Once the code is verified its message is erased, and the payload can no longer be compared.
      assert.equal((await generate({ ...request, max_attempts: 7 })).status, 422)
      assert.equal((await validate(answers[0]?.body.challenge_id ?? '', code)).status, 'verified')
      const after = await generate(request)
      assert.deepEqual([after.text, after.headers.get('idempotent-replayed')], [answers[0]?.text, 'true'])
    })

    test('S1-P9 is refused after five for one recipient in ten minutes, but a repeated request is not', async () => {
      const [to, key] = [freshNumber(), randomUUID()]
      const first = await generate({ to, idempotency_key: key })
      for (let sent = 1; sent < 5; sent += 1) assert.equal((await generate({ to })).status, 202)
      const sixth = await generate({ to })
      assert.deepEqual([sixth.status, sixth.body.error_code], [429, 'RATE_LIMITED'])
      const wait = Number(sixth.headers.get('retry-after'))
      assert.ok(wait > 590 && wait <= 600, String(wait))
      assert.match(sixth.headers.get('ratelimit-policy') ?? '', /q=5;w=600/)
      assert.equal((await generate({ to, idempotency_key: key })).text, first.text)
      assert.equal((await generate()).status, 202)
      gateway.advance(wait * SECOND_MS)
      assert.equal((await generate({ to })).status, 202)
    })

    test('is refused with every field that is out of range', async () => {
      const { status, body } = await generate({ to: '123', ttl_seconds: 29, max_attempts: 11, app_name: '' })
      assert.equal(status, 400)
      const paths = body.details?.map(({ path }) => path).toSorted()
      assert.deepEqual(paths, ['/app_name', '/max_attempts', '/to', '/ttl_seconds'])
      for (const bad of [{ ttl_seconds: 3601 }, { ttl_seconds: 60.5 }, { max_attempts: 0 }, { channel: 'pigeon' }]) {
        assert.equal((await generate(bad)).status, 400, JSON.stringify(bad))
      }
    })
  })

  test('the message of a code is erased when the challenge ends, its recipient stays searchable, and the code is never logged', async () => {
    const [verified, exhausted, expired, expiredMail] = [
      await challenge(),
      await challenge({ max_attempts: 1 }),
      await challenge({ ttl_seconds: 40 }),
      await challengeByMail({ ttl_seconds: 40 }),
    ]
    await validate(verified.id, verified.code)
    await validate(exhausted.id, wrongFor(exhausted.code))
    gateway.advance(40 * SECOND_MS)
    const all = [verified, exhausted, expired, expiredMail]
    for (const { requestId, to } of all) {
      const message = await until('the message to be erased', async () => {
        const found = await show(requestId)
        return found.erased && found
      })
      assert.deepEqual([message.to, message.lane], [maskOf(to), 'otp'])
      assert.ok(kindsOf(message).includes('MessageErased'))
      const found = await until('the message to be found by its recipient', async () => {
        const { body } = await gateway.call<Page>('GET', `/v1/messages?to=${encodeURIComponent(to)}`)
        return body.items.find((item) => item.id === requestId && item.erased)
      })
      assert.equal(found.to, maskOf(to))
    }
    for (const { code } of all) {
      const leaks = gateway.lines.filter((line) => new RegExp(`\\b${code}\\b`).test(line))
      assert.deepEqual(leaks, [])
    }
  })
}
