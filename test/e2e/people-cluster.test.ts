import { after } from 'node:test'
import { mintToken } from '../../src/config/secrets.ts'
import { openCluster } from '../support/cluster.ts'
import { runPombo } from '../support/command.ts'
import { freePort } from '../support/free-port.ts'
import { openIdentityProvider } from '../support/identity-provider.ts'
import { oidcSettings } from '../support/oidc-settings.ts'
import { peopleContract } from './people.contract.ts'

const opened = new AsyncDisposableStack()
after(() => opened.disposeAsync())

/** As behind a load balancer: no process listens on the public URL itself. */
const publicUrl = `http://127.0.0.1:${await freePort()}`
const idp = opened.use(await openIdentityProvider({ redirectUrl: `${publicUrl}/v1/session/oidc/callback` }))
const cluster = opened.use(await openCluster({ plan: { api: 2 }, env: oidcSettings(idp, publicUrl) }))
const { settings } = cluster
const claims = { tenantId: 'demo', accountId: 'default', scopes: ['operator'], expiresInSeconds: 3_600 }
const token = await mintToken(Buffer.from(settings['POMBO_JWT_SECRET'] ?? ''), claims)
const port = String(await freePort())

peopleContract({
  urls: cluster.members.map(({ url }) => url),
  token,
  publicUrl,
  idp,
  // The port of no member: the command works on PostgreSQL.
  run: (args) => runPombo(args, { ...settings, POMBO_PORT: port }),
})
