/** Whose sender: lists of senders, domains verified at a real DNS server, and mail signed with their keys. */
import assert from 'node:assert/strict'
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { promises as dns } from 'node:dns'
import { after, test } from 'node:test'
import { type DkimSignature, dkimSignaturesOf, tagsOf } from '../support/dkim.ts'
import { mailboxAt, postMail, sendMail, untilMailed } from '../support/email.ts'
import type { Gateway } from '../support/gateway.ts'
import type { SharedGateway, ShareGateway } from '../support/shared-gateway.ts'
import { freshNumber, post, search, someSms, untilIndexed, untilStatus } from '../support/sms.ts'
import { openSmtpSink, type SmtpSink } from '../support/smtp-sink.ts'
import { type DnsServer, openDnsServer } from '../support/unbound.ts'
import { PATIENT } from './email-site.fixture.ts'
import type { ShareSite } from './smpp-site.fixture.ts'

type Caller = Pick<Gateway, 'call'>
type TxtRecord = Readonly<{ name: string; value: string; status: string | null }>
type Domain = Readonly<{ domain: string; state: string; ownership: TxtRecord; dkim: TxtRecord }>

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
/** The key of the provider, for mail from domains without one. */
const RELAY = {
  published: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
  dkim: {
    domain: 'relay.example',
    selector: 'relay',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  },
}

const toConfig = (sink: SmtpSink): object => {
  const settings = { host: '127.0.0.1', port: sink.port, tls: 'none', from: 'no-reply@relay.example', dkim: RELAY.dkim }
  return {
    providers: [
      { name: 'relay', kind: 'smtp', settings },
      { name: 'simulator', kind: 'simulator' },
    ],
    tenants: { listed: { senders: ['Listed', '+15005550006', 'news@listed.example'] } },
  }
}

type Parts = Readonly<{ server: DnsServer; sink: SmtpSink }>

async function openParts(): Promise<Parts> {
  const opened = new AsyncDisposableStack()
  after(() => opened.disposeAsync())
  return { server: opened.use(await openDnsServer()), sink: opened.use(await openSmtpSink()) }
}

export async function sendersContract(share: ShareGateway, shareSite: ShareSite): Promise<void> {
  const parts = await openParts()
  const env = { POMBO_DNS_SERVERS: parts.server.address, POMBO_LOG_LEVEL: 'debug' }
  const gateway = await share({ config: toConfig(parts.sink), env })
  listContract(gateway)
  domainContract(gateway, parts)
  await restartContract(shareSite, parts, env)
}

const verify = async ({ call }: Caller, domain: string) => {
  const { status, body } = await call<Domain & { error_code?: string }>('POST', `/v1/domains/${domain}/verify`)
  const { state, ownership, dkim, error_code: code } = body
  return status === 200 ? [state, ownership.status, dkim.status] : [status, code]
}

async function addDomain({ call }: Caller, domain: string): Promise<Domain> {
  const { status, body, text } = await call<Domain>('POST', '/v1/domains', { domain })
  assert.equal(status, 201, text)
  return body
}

async function publishAll(server: DnsServer, { ownership, dkim }: Domain): Promise<void> {
  for (const { name, value } of [ownership, dkim]) await server.publish(name, value)
}

/** The answer to a mail from this sender. */
async function tryMail(caller: Caller, from: string): Promise<readonly unknown[]> {
  const { status, body } = await postMail(caller, {
    to: mailboxAt('mail.example'),
    from,
    subject: 'hi',
    html: '<p>hi</p>',
    idempotency_key: randomUUID(),
  })
  const { details = [] } = body as { details?: readonly { path: string }[] }
  return [status, body.error_code, ...details.map(({ path }) => path)]
}

/** The signatures of a mail that arrives. */
async function signaturesOf(caller: Caller, sink: SmtpSink, mail: object): Promise<readonly DkimSignature[]> {
  const to = mailboxAt('mail.example')
  await sendMail(caller, { to, ...mail })
  return dkimSignaturesOf((await untilMailed(sink, to, PATIENT)).raw)
}

/** The public key in the DNS, as a receiver finds it. */
async function publishedKey(server: DnsServer, { selector, domain }: DkimSignature): Promise<string> {
  const resolver = new dns.Resolver()
  resolver.setServers([server.address])
  const [record = []] = await resolver.resolveTxt(`${selector}._domainkey.${domain}`)
  return tagsOf(record.join('')).get('p') ?? ''
}

const REFUSED = [422, 'SENDER_NOT_ALLOWED']

function listContract(gateway: SharedGateway): void {
  test('a tenant with a list of senders may use only these, and nobody else may', async () => {
    const [listed, other] = [await gateway.of('listed'), await gateway.of('another')]
    const trySms = async (caller: Gateway, sender?: string): Promise<readonly unknown[]> => {
      const { status, body } = await post(caller, someSms(sender === undefined ? {} : { sender_id: sender }))
      return [status, (body as { error_code?: string }).error_code]
    }
    for (const sender of ['LISTED', '+15005550006', undefined]) {
      assert.deepEqual(await trySms(listed, sender), [202, undefined], sender)
    }
    assert.deepEqual(await trySms(listed, 'Other'), REFUSED)
    for (const sender of ['listed', '15005550006']) assert.deepEqual(await trySms(other, sender), REFUSED, sender)
    assert.deepEqual(await trySms(other, 'Other'), [202, undefined])
    assert.deepEqual(await tryMail(listed, 'News@listed.example'), [202, undefined])
    assert.deepEqual(await tryMail(listed, 'a@listed.example'), [...REFUSED, '/from'])
    assert.deepEqual(await tryMail(other, 'news@listed.example'), [...REFUSED, '/from'])
  })

  test('a refused message is not stored, and items of a batch are refused one by one', async () => {
    const listed = await gateway.of('listed')
    const [bad, good] = [freshNumber(), freshNumber()]
    const items = [someSms({ to: bad, sender_id: 'Other' }), someSms({ to: good, sender_id: 'Listed' })]
    const { body } = await listed.call<{ results: readonly { id?: string; error?: { error_code: string } }[] }>(
      'POST',
      '/v1/messages/batch',
      { items },
    )
    assert.equal(body.results[0]?.error?.error_code, 'SENDER_NOT_ALLOWED')
    await untilStatus(listed, body.results[1]?.id ?? '', 'delivered', PATIENT)
    await untilIndexed(listed)
    const found = async (to: string) => (await search(listed, { to })).items.length
    assert.deepEqual([await found(bad), await found(good)], [0, 1])
  })
}

function domainContract(gateway: SharedGateway, { server, sink }: Parts): void {
  test('a domain is verified by its records, its mail is signed with its key, and nobody else may use it', async () => {
    const [acme, other] = [await gateway.of('acme'), await gateway.of('other')]
    const domain = await addDomain(acme, 'acme.example')
    assert.deepEqual(await verify(acme, 'acme.example'), ['pending', 'missing', 'missing'])
    assert.equal((await tryMail(other, 'a@acme.example'))[0], 202)

    await server.publish(domain.ownership.name, 'v=spf1 -all', 'pombo-domain-verification=somebody-else')
    await server.publish(domain.dkim.name, 'v=DKIM1; k=rsa; p=MIIB')
    assert.deepEqual(await verify(acme, 'acme.example'), ['pending', 'mismatch', 'mismatch'])
    await publishAll(server, domain)
    assert.deepEqual(await verify(acme, 'acme.example'), ['verified', 'valid', 'valid'])

    for (const from of ['a@acme.example', 'Shop <shop@mail.acme.example>']) {
      assert.deepEqual(await tryMail(other, from), [...REFUSED, '/from'])
      const [signature, ...more] = await signaturesOf(acme, sink, { from })
      assert.ok(signature)
      assert.deepEqual([signature.domain, more.length], ['acme.example', 0])
      assert.equal(`${signature.selector}._domainkey.acme.example`, domain.dkim.name)
      assert.ok(signature.isValid(await publishedKey(server, signature)))
    }
    const [ofRelay] = await signaturesOf(acme, sink, {})
    assert.deepEqual([ofRelay?.domain, ofRelay?.isValid(RELAY.published)], ['relay.example', true])
  })

  test('only one tenant can verify a domain, until it deletes it', async () => {
    const [first, second] = [await gateway.of('first'), await gateway.of('second')]
    const [ofFirst, ofSecond] = [await addDomain(first, 'shared.example'), await addDomain(second, 'shared.example')]
    await publishAll(server, ofFirst)
    assert.deepEqual(await verify(second, 'shared.example'), ['pending', 'mismatch', 'missing'])
    assert.equal((await verify(first, 'shared.example'))[0], 'verified')
    await server.publish(ofFirst.ownership.name, ofFirst.ownership.value, ofSecond.ownership.value)
    assert.deepEqual(await verify(second, 'shared.example'), [409, 'CONFLICT'])
    assert.equal((await first.call('DELETE', '/v1/domains/shared.example')).status, 204)
    assert.deepEqual(await verify(second, 'shared.example'), ['verified', 'valid', 'missing'])
    assert.deepEqual(await tryMail(first, 'a@shared.example'), [...REFUSED, '/from'])
    const signatures = await signaturesOf(second, sink, { from: 'a@shared.example' })
    assert.deepEqual(
      signatures.map(({ domain }) => domain),
      ['relay.example'],
      'its own key is not published',
    )
  })

  test('while the DNS gives no answer a check is refused and changes nothing', async () => {
    const tenant = await gateway.of('patient')
    const domain = await addDomain(tenant, 'patient.example')
    await publishAll(server, domain)
    assert.equal((await verify(tenant, 'patient.example'))[0], 'verified')
    await server.refuse('_pombo.patient.example')
    assert.deepEqual(await verify(tenant, 'patient.example'), [503, 'UNAVAILABLE'])
    const { body } = await tenant.call<Domain>('GET', '/v1/domains/patient.example')
    assert.deepEqual([body.state, body.ownership.status], ['verified', 'valid'])
    assert.deepEqual(await tryMail(await gateway.of('other'), 'a@patient.example'), [...REFUSED, '/from'])
  })

  test('a resend is refused once the sender belongs to another tenant', async () => {
    const [before, owner] = [await gateway.of('before'), await gateway.of('owner')]
    const id = await sendMail(before, { from: 'a@late.example' })
    await untilStatus(before, id, 'sent', PATIENT)
    await publishAll(server, await addDomain(owner, 'late.example'))
    assert.equal((await verify(owner, 'late.example'))[0], 'verified')
    const { status, body } = await before.call<{ error_code: string }>('POST', `/v1/messages/${id}/resend`)
    assert.deepEqual([status, body.error_code], REFUSED)
  })

  test('a domain whose proof is gone is free for all again', async () => {
    const [tenant, other] = [await gateway.of('gone'), await gateway.of('other')]
    const domain = await addDomain(tenant, 'gone.example')
    await publishAll(server, domain)
    assert.equal((await verify(tenant, 'gone.example'))[0], 'verified')
    await server.withdraw(domain.ownership.name)
    assert.deepEqual(await verify(tenant, 'gone.example'), ['pending', 'missing', 'valid'])
    assert.equal((await tryMail(other, 'a@gone.example'))[0], 202)
  })
}

async function restartContract(shareSite: ShareSite, { server, sink }: Parts, env: Record<string, string>) {
  const site = await shareSite({ config: () => toConfig(sink), env })

  test('verified domains and their keys survive a kill, and no log has a private key', async () => {
    const { gateway } = site
    const domain = await addDomain(gateway, 'kept.example')
    await publishAll(server, domain)
    assert.equal((await verify(gateway, 'kept.example'))[0], 'verified')
    await site.stop('SIGKILL')
    await site.start()
    const [signature] = await signaturesOf(gateway, sink, { from: 'a@kept.example' })
    assert.ok(signature)
    assert.equal(`${signature.selector}._domainkey.kept.example`, domain.dkim.name)
    assert.ok(signature.isValid(await publishedKey(server, signature)))
    assert.doesNotMatch(site.output(), /PRIVATE KEY|sealed/)
  })
}
