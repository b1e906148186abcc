/**
 * A whole gateway under load, recorded: it takes SMS over HTTP and sends them to a provider of ours. Marks tell what the
 * clients and the provider know.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type FakeHttp, jsonResponse, openFakeHttp } from '../support/fake-http.ts'
import { TWILIO } from '../support/fake-twilio.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { type Random, seededRandom } from '../support/random.ts'
import { freshNumber, post, someSms } from '../support/sms.ts'
import { until } from '../support/until.ts'
import type { Recorded } from './record.ts'
import { Marker } from './recording.ts'

export type GatewayMark = Readonly<
  | { kind: 'requested'; to: string }
  | { kind: 'accepted'; to: string; id: string }
  /** The provider was called. */
  | { kind: 'called'; to: string }
>

const CLIENTS = 8
const MESSAGES_EACH = 6
const PAUSE_MS = 60

type Mark = (mark: GatewayMark) => void

export const gatewayProcess =
  (seed: number) =>
  async ({ data, log, env }: Recorded): Promise<void> => {
    using marker = new Marker(log)
    const mark: Mark = (made) => marker.mark(made)
    await using provider = await openProvider(mark)
    await using gateway = await startGateway({ folder: dirname(data), config: configOf(provider), env })
    await Promise.all(Array.from({ length: CLIENTS }, (_, client) => send(gateway, mark, seededRandom(seed + client))))
    await until('the provider to have every message', () => provider.requests.length >= CLIENTS * MESSAGES_EACH)
    assert.equal((await gateway.kill('SIGTERM')).code, 0)
  }

/** Answers as Twilio does. */
const openProvider = (mark: Mark): Promise<FakeHttp> =>
  openFakeHttp(({ body }) => {
    mark({ kind: 'called', to: new URLSearchParams(body).get('To') ?? '' })
    return jsonResponse(201, { sid: `SM${randomBytes(16).toString('hex')}`, status: 'queued', error_code: null })
  })

const configOf = ({ url }: FakeHttp) => ({
  providers: [
    { name: 'main', kind: 'twilio', settings: { ...TWILIO, from: '+15005550006', base_url: url, callbacks: false } },
  ],
  routes: [{ id: 'default', channel: 'sms', providers: ['main'] }],
})

async function send(gateway: Gateway, mark: Mark, random: Random): Promise<void> {
  for (let sent = 0; sent < MESSAGES_EACH; sent += 1) {
    await wait(random() * PAUSE_MS)
    const to = freshNumber()
    mark({ kind: 'requested', to })
    const { status, body, text } = await post(gateway, someSms({ to }))
    assert.equal(status, 202, text)
    mark({ kind: 'accepted', to, id: body.request_id })
  }
}
