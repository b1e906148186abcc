/** Settings of the users API, `/api/config` and `/api/send`, whose specification knows no credentials. */
import { Type } from 'typebox'
import { parseAccountId, parseTenantId } from '../domain/ids.ts'
import { LOOPBACK } from '../lib/loopback.ts'
import { containedIn, parseNetworks } from '../lib/networks.ts'
import { checked, choice } from './setting.ts'
import type { Settings } from './settings.ts'

export const USERS_API_SETTINGS = {
  usersApi: choice(['token', 'open'], {
    env: 'POMBO_USERS_API',
    default: 'token',
    must: 'token or open',
    description:
      'Whether calls of `/api/config` and `/api/send` need credentials. With `open` they do not, if they come from this machine or from POMBO_USERS_API_NETWORKS, and from no browser. All other calls always need credentials.',
  }),
  usersApiNetworks: Type.Optional(
    checked(
      {
        env: 'POMBO_USERS_API_NETWORKS',
        must: 'networks such as 10.0.0.0/8 or fd00::/8, separated by commas',
        description:
          'The networks besides loopback from which POMBO_USERS_API=open answers. Behind reverse proxies these are networks of clients, and POMBO_TRUSTED_PROXIES must name the proxies.',
      },
      (value) => parseNetworks(value) !== undefined,
    ),
  ),
  usersApiTenant: checked(
    {
      env: 'POMBO_USERS_API_TENANT',
      default: 'demo',
      must: 'the id of a tenant',
      description: 'The tenant of calls without credentials under POMBO_USERS_API=open.',
    },
    (value) => parseTenantId(value) !== undefined,
  ),
  usersApiAccount: checked(
    {
      env: 'POMBO_USERS_API_ACCOUNT',
      default: 'default',
      must: 'the id of an account',
      description: 'The account of calls without credentials under POMBO_USERS_API=open.',
    },
    (value) => parseAccountId(value) !== undefined,
  ),
}

type UsersApiSettings = Pick<
  Settings,
  'usersApi' | 'usersApiNetworks' | 'usersApiTenant' | 'usersApiAccount' | 'publicUrl' | 'trustedProxies'
>

/** Whom the users API answers without credentials, and as whom. Undefined if nobody. */
export function openUsersOf(settings: UsersApiSettings) {
  const { usersApi, usersApiNetworks = '', usersApiTenant, usersApiAccount, trustedProxies = '' } = settings
  const [tenantId, accountId] = [parseTenantId(usersApiTenant), parseAccountId(usersApiAccount)]
  if (usersApi === 'token' || tenantId === undefined || accountId === undefined) return undefined
  const networks = parseNetworks(usersApiNetworks) ?? []
  return { tenantId, accountId, networks, trustedProxies: parseNetworks(trustedProxies) ?? [] }
}

/** Addresses of the internet that belong to different networks: who allows two of them allows nearly everybody. */
const ANYWHERE = ['8.8.8.8', '203.0.113.9', '2001:4860:4860::8888', '2a00:1450:4001::1']

/** What would open the users API to the world by mistake. */
export function usersApiProblems(settings: UsersApiSettings): string[] {
  const { usersApi, usersApiNetworks, publicUrl, trustedProxies } = settings
  if (usersApi === 'token') {
    if (usersApiNetworks === undefined) return []
    return ['POMBO_USERS_API_NETWORKS is set, but POMBO_USERS_API is not open; set it to open, or unset the networks']
  }
  const wide = (parseNetworks(usersApiNetworks ?? '') ?? []).filter((network) => ANYWHERE.some(containedIn([network])))
  const isPublished = publicUrl !== undefined && !LOOPBACK.test(new URL(publicUrl).hostname)
  return [
    ...(wide.length === 0
      ? []
      : [
          `POMBO_USERS_API_NETWORKS contains ${wide.join(', ')}, from where anybody on the internet could send messages; name only your own networks`,
        ]),
    ...(isPublished && trustedProxies === undefined
      ? [
          'POMBO_USERS_API is open and POMBO_PUBLIC_URL is the address of another machine or a proxy, but POMBO_TRUSTED_PROXIES is not set, so calls through a proxy would look as if they came from it; set POMBO_TRUSTED_PROXIES to the networks of your proxies, or POMBO_USERS_API to token',
        ]
      : []),
  ]
}
