import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { runPombo } from '../support/command.ts'
import { openCookieBrowser } from '../support/cookie-jar.ts'
import { openFolder } from '../support/folder.ts'
import { freePort } from '../support/free-port.ts'
import { settingsFor, startGateway } from '../support/gateway.ts'
import { openIdentityProvider } from '../support/identity-provider.ts'
import { oidcSettings } from '../support/oidc-settings.ts'
import { peopleContract } from './people.contract.ts'

const opened = new AsyncDisposableStack()
after(() => opened.disposeAsync())

const folder = opened.use(await openFolder())
const port = await freePort()
const publicUrl = `http://127.0.0.1:${port}`
const idp = opened.use(await openIdentityProvider({ redirectUrl: `${publicUrl}/v1/session/oidc/callback` }))
const env = { POMBO_PORT: String(port), ...oidcSettings(idp, publicUrl) }
const options = { folder: folder.path, env }
const gateway = opened.use(await startGateway(options))
const settings = await settingsFor(options)
const PASSWORD = 'four words are easy'

peopleContract({ urls: [gateway.url], token: gateway.token, publicUrl, idp, run: (args) => runPombo(args, settings) })

test('sessions survive a restart, and while the gateway is stopped the command line lets people in', async () => {
  await using other = await openFolder()
  const aside = { folder: other.path, env: { POMBO_PORT: String(await freePort()) } }
  const settingsAside = await settingsFor(aside)
  const body = { email: 'ana@example.com', role: 'viewer' }
  const browser = openCookieBrowser()
  const readAt = async (url: string) => (await browser.call('GET', `${url}/v1/messages`)).status
  {
    await using first = await startGateway(aside)
    const invited = await first.call<{ invitation: { url: string } }>('POST', '/v1/users', body)
    const [, token] = invited.body.invitation.url.split('#invitation=')
    await browser.call('POST', `${first.url}/v1/session/accept-invitation`, { token, password: PASSWORD })
    assert.equal(await readAt(first.url), 200)
    const running = await runPombo(['users', 'create', '--email', 'eva@example.com', '--role', 'admin'], settingsAside)
    assert.equal(running.code, 0, running.err)
    await first.kill('SIGTERM')
  }
  const created = await runPombo(['users', 'create', '--email', 'bob@example.com', '--role', 'operator'], settingsAside)
  assert.equal(created.code, 0, created.err)
  const taken = await runPombo(['users', 'create', '--email', 'bob@example.com', '--role', 'viewer'], settingsAside)
  assert.deepEqual([taken.code, taken.err.includes('already has this email address')], [1, true])
  const again = await runPombo(['users', 'invite', 'bob@example.com'], settingsAside)
  await using second = await startGateway(aside)
  assert.equal(await readAt(second.url), 200)
  const links = [created, again].map(({ out }) => out.trim().split('#invitation=')[1])
  const statuses = []
  for (const token of links)
    statuses.push((await browser.call('POST', `${second.url}/v1/session/invitation`, { token })).status)
  assert.deepEqual(statuses, [410, 200])
  const { body: entries } = await second.call<{ items: readonly Entry[] }>('GET', '/v1/audit')
  assert.deepEqual(
    entries.items
      .filter(({ action }) => action.startsWith('user.'))
      .map(({ action, actor }) => [action, toName(actor)]),
    [
      ['user.invited', 'anonymous'],
      ['user.created', 'anonymous'],
      ['user.created', 'cli'],
      ['user.invitation_accepted', 'ana@example.com'],
      ['user.created', 'console-link'],
    ],
  )
})

type Entry = Readonly<{ action: string; actor: Readonly<{ kind: string; id: string | null; name: string | null }> }>
const toName = ({ kind, id, name }: Entry['actor']): string => name ?? id ?? kind

test('passwords can be turned off, which ends the sessions that began with one', async () => {
  await using other = await openFolder()
  const aside = { ...env, POMBO_PORT: '0' }
  const browser = openCookieBrowser()
  {
    await using lenient = await startGateway({ folder: other.path, env: aside })
    const user = { email: 'ana@example.com', role: 'viewer' }
    const invited = await lenient.call<{ invitation: { url: string } }>('POST', '/v1/users', user)
    const [, token] = invited.body.invitation.url.split('#invitation=')
    await browser.call('POST', `${lenient.url}/v1/session/accept-invitation`, { token, password: PASSWORD })
    assert.equal((await browser.call('GET', `${lenient.url}/v1/messages`)).status, 200)
    await lenient.kill('SIGTERM')
  }
  await using strict = await startGateway({ folder: other.path, env: { ...aside, POMBO_PASSWORD_SIGN_IN: 'off' } })
  assert.equal((await browser.call('GET', `${strict.url}/v1/messages`)).status, 401)
  const answer = await browser.call('GET', `${strict.url}/v1/session`)
  assert.deepEqual((answer.json as { ways: unknown }).ways, { password: false, oidc: true })
  const credentials = { email: 'ana@example.com', password: PASSWORD }
  assert.equal((await browser.call('POST', `${strict.url}/v1/session`, credentials)).status, 403)
})
