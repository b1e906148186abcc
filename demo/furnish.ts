/** What a tenant sets up before the first message: people, templates, limits, routes, and who is told. */
import { type Client, insist } from './client.ts'
import { PEOPLE } from './people.ts'
import { TEMPLATES } from './words.ts'

export async function furnish(client: Client): Promise<void> {
  for (const [index, { name, phone, email, locale }] of PEOPLE.entries()) {
    await insist(client, 'POST', '/v1/recipients', { external_id: `customer-${index + 1}`, name, phone, email, locale })
  }
  for (const template of TEMPLATES) await insist(client, 'POST', '/v1/templates', template)
  await insist(client, 'PUT', '/v1/limits/recipient/*', { limit: 40, window_seconds: 60, algorithm: 'sliding' })
  await insist(client, 'PUT', '/v1/limits/account/*', { limit: 5_000, window_seconds: 60 })
  await insist(client, 'PUT', '/v1/limits/account/marketing', { limit: 60, window_seconds: 15, algorithm: 'sliding' })
  await insist(client, 'PUT', `/v1/suppressions/${encodeURIComponent('paper.only@sim.pombo.test')}`, {
    note: 'wants letters on paper',
  })
}

const GIVES_UP_SOON = { delays_seconds: [1, 2], max_attempts: 3 }

/** Routes of the tenant's own, beside those of the file. */
export async function layRoutes(client: Client, providers: readonly string[], shaky: string): Promise<void> {
  const others = providers.filter((name) => name !== shaky)
  const routes = [
    { id: 'hopeless', channel: 'sms', prefix: '+15005550004', providers: others, retry: GIVES_UP_SOON },
    { id: 'alerts', channel: 'sms', sender: 'ALERTS', operator_id: 'coastguard', providers: [shaky, ...others] },
    {
      id: 'tides',
      channel: 'sms',
      sender: 'TIDES',
      operator_id: 'coastguard',
      providers: [shaky],
      retry: GIVES_UP_SOON,
    },
  ]
  for (const route of routes) await insist(client, 'POST', '/v1/routes', route)
}

export async function beTold(client: Client, url: string): Promise<void> {
  const endpoints = [
    { id: 'orders', url: `${url}/orders`, description: 'Order service' },
    {
      id: 'support',
      url: `${url}/busy`,
      description: 'Support desk, often busy',
      events: ['message.failed', 'message.expired'],
    },
  ]
  for (const { id, ...endpoint } of endpoints) {
    await insist(client, 'POST', '/v1/endpoints', { id, ...endpoint })
    // An earlier demo on the same data was told elsewhere.
    await insist(client, 'PATCH', `/v1/endpoints/${id}`, { url: endpoint.url })
  }
}
