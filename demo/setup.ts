/** What a tenant creates before the first message: recipients, templates, limits, routes and webhook endpoints. */
import { type Client, insist } from './client.ts'
import { PEOPLE } from './people.ts'
import { TEMPLATES } from './texts.ts'

export async function setUpTenant(client: Client): Promise<void> {
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

const FEW_RETRIES = { delays_seconds: [1, 2], max_attempts: 3 }

/** Routes of the tenant, besides those of the configuration file. */
export async function createRoutes(client: Client, providers: readonly string[], shaky: string): Promise<void> {
  const others = providers.filter((name) => name !== shaky)
  const routes = [
    { id: 'hopeless', channel: 'sms', prefix: '+15005550004', providers: others, retry: FEW_RETRIES },
    { id: 'alerts', channel: 'sms', sender: 'ALERTS', operator_id: 'coastguard', providers: [shaky, ...others] },
    {
      id: 'tides',
      channel: 'sms',
      sender: 'TIDES',
      operator_id: 'coastguard',
      providers: [shaky],
      retry: FEW_RETRIES,
    },
  ]
  for (const route of routes) await insist(client, 'POST', '/v1/routes', route)
}

export async function createEndpoints(client: Client, url: string): Promise<void> {
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
    // An earlier demo on the same data used another URL.
    await insist(client, 'PATCH', `/v1/endpoints/${id}`, { url: endpoint.url })
  }
}
