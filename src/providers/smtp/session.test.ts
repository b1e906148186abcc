import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { selfSigned } from '../../../test/support/self-signed.ts'
import { openSmtpWorld, type SmtpWorld } from '../../../test/support/smtp-world.ts'
import { openStarttlsStripper } from '../../../test/support/starttls-stripper.ts'
import { someMailAttempt } from '../mail.fixture.ts'

const { key, cert } = selfSigned('127.0.0.1')
const ACCOUNT = { user: 'pombo', password: 'a secret of words' }

async function wordsOf({ provider, logs }: SmtpWorld): Promise<string> {
  const outcome = await provider.send(someMailAttempt(), AbortSignal.timeout(60_000))
  assert.ok(!JSON.stringify([outcome, logs]).includes(ACCOUNT.password))
  return 'code' in outcome ? `${outcome.kind} ${outcome.code}` : outcome.kind
}

describe('a session with a mail server', { timeout: 120_000 }, () => {
  for (const tls of ['starttls', 'implicit'] as const) {
    test(`requires a trusted certificate (${tls})`, async () => {
      const sink = { key, cert, secure: tls === 'implicit' }
      await using trusting = await openSmtpWorld({ sink, settings: { tls, ca: cert } })
      assert.equal(await wordsOf(trusting), 'accepted')
      assert.equal(trusting.sink.mails[0]?.isSecure, true)
      await using distrusting = await openSmtpWorld({ sink, settings: { tls } })
      assert.equal(await wordsOf(distrusting), 'deferred TLS_FAILED')
      assert.equal(distrusting.sink.received, 0)
    })
  }

  test('is refused without STARTTLS if TLS is required', async () => {
    await using world = await openSmtpWorld({ settings: { tls: 'starttls' } })
    assert.equal(await wordsOf(world), 'deferred TLS_REQUIRED')
    assert.equal(world.sink.received, 0)
  })

  test('uses TLS if it is offered (opportunistic)', async () => {
    await using able = await openSmtpWorld({ sink: { key, cert }, settings: { tls: 'opportunistic' } })
    await using unable = await openSmtpWorld({ settings: { tls: 'opportunistic' } })
    assert.deepEqual([await wordsOf(able), await wordsOf(unable)], ['accepted', 'accepted'])
    assert.deepEqual([able.sink.mails[0]?.isSecure, unable.sink.mails[0]?.isSecure], [true, false])
  })

  test('logs in once for many mails', async () => {
    const sink = { key, cert, ...ACCOUNT }
    await using world = await openSmtpWorld({ sink, settings: { tls: 'starttls', ca: cert, ...ACCOUNT } })
    assert.deepEqual([await wordsOf(world), await wordsOf(world)], ['accepted', 'accepted'])
    assert.deepEqual([world.sink.mails[1]?.user, world.sink.reached('auth')], [ACCOUNT.user, 1])
  })

  for (const [what, reply, settings, words] of [
    ['the wrong password', 'take', { ...ACCOUNT, password: 'another' }, 'rejected AUTHENTICATION_FAILED'],
    ['no password', 'take', {}, 'rejected AUTHENTICATION_FAILED'],
    ['a server that cannot check it now', '454 4.7.0 later', ACCOUNT, 'deferred AUTHENTICATION_DEFERRED'],
    ['a server that hangs up', 'hang up', ACCOUNT, 'deferred NOT_CONNECTED'],
  ] as const) {
    test(`with ${what} is ${words}`, async () => {
      const sink = { ...ACCOUNT, allowInsecureAuth: true }
      await using world = await openSmtpWorld({ sink, settings: { tls: 'none', ...settings } })
      world.sink.react('auth', reply)
      assert.equal(await wordsOf(world), words)
      assert.equal(world.sink.received, 0)
    })
  }
})

describe('a password', { timeout: 120_000 }, () => {
  const offersLogin = { ...ACCOUNT, allowInsecureAuth: true }

  test('is not sent to a server without STARTTLS, not even on localhost', async () => {
    await using world = await openSmtpWorld({ sink: offersLogin, settings: { tls: 'opportunistic', ...ACCOUNT } })
    assert.equal(await wordsOf(world), 'deferred TLS_REQUIRED')
    assert.deepEqual([world.sink.reached('connect'), world.sink.reached('auth'), world.sink.received], [1, 0, 0])
  })

  for (const tls of ['opportunistic', 'starttls'] as const) {
    for (const hides of [true, false]) {
      test(`is not sent if a man in the middle ${hides ? 'hides' : 'refuses'} STARTTLS (${tls})`, async () => {
        await using server = await openSmtpWorld({ sink: { key, cert, ...offersLogin } })
        await using middle = await openStarttlsStripper(server.sink.port, hides)
        const settings = { port: middle.port, tls, ca: cert, ...ACCOUNT }
        await using world = await openSmtpWorld({ settings })
        assert.equal(await wordsOf(world), 'deferred TLS_REQUIRED')
        assert.match(middle.received(), /^EHLO /)
        assert.doesNotMatch(middle.received(), /AUTH|MAIL FROM/i)
        assert.deepEqual([server.sink.reached('auth'), server.sink.received], [0, 0])
      })
    }
  }

  test('is sent over TLS if it is offered', async () => {
    const sink = { key, cert, ...ACCOUNT }
    await using world = await openSmtpWorld({ sink, settings: { tls: 'opportunistic', ...ACCOUNT } })
    assert.equal(await wordsOf(world), 'accepted')
    assert.deepEqual([world.sink.mails[0]?.isSecure, world.sink.mails[0]?.user], [true, ACCOUNT.user])
  })

  test('is sent unencrypted only with tls none', async () => {
    await using world = await openSmtpWorld({ sink: offersLogin, settings: { tls: 'none', ...ACCOUNT } })
    assert.equal(await wordsOf(world), 'accepted')
    assert.deepEqual([world.sink.mails[0]?.isSecure, world.sink.reached('auth')], [false, 1])
  })
})
