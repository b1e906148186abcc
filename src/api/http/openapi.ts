/** The OpenAPI document as a text, for docs/openapi.json: from an API that is opened and never called. */
import pino from 'pino'
import { Registry } from 'prom-client'
import { seconds } from '../../lib/time.ts'
import { type ApiDeps, openApi } from '../server.ts'

export async function renderOpenApi(): Promise<string> {
  const app = await openApi(NOBODY)
  const document = app.swagger()
  await app.close()
  return `${JSON.stringify(document, null, 2)}\n`
}

const idle = (): never => {
  throw new Error('a document asks nothing of the world')
}

const NOBODY: ApiDeps = {
  log: { append: idle, latest: idle, load: idle, read: idle, shred: idle, follow: idle, changes: idle, tip: idle },
  queue: { depth: idle },
  index: {
    apply: idle,
    position: idle,
    search: idle,
    stats: idle,
    errors: idle,
    overdue: idle,
    tombstone: idle,
    clear: idle,
  },
  limiter: { admit: idle, standing: idle },
  challenges: { begin: idle, arm: idle, find: idle, claim: idle, verify: idle, ended: idle, clear: idle },
  hasher: { hash: idle, matches: idle },
  drawCode: idle,
  otp: { limit: 5, window: seconds(600) },
  rules: { scopes: idle, counters: idle, find: idle, set: idle, remove: idle, list: idle },
  recipients: { add: idle, change: idle, find: idle, remove: idle, search: idle },
  templates: { add: idle, find: idle, versions: idle, list: idle, remove: idle },
  routes: { of: idle, add: idle, change: idle, remove: idle },
  endpoints: { add: idle, find: idle, list: idle, change: idle, remove: idle, judge: idle },
  webhookDeliveries: {
    enqueue: idle,
    take: idle,
    complete: idle,
    release: idle,
    list: idle,
    replay: idle,
    resume: idle,
    forget: idle,
  },
  suppressions: { add: idle, find: idle, remove: idle, list: idle },
  erasures: { start: idle, find: idle, list: idle, claim: idle, save: idle },
  receiptSigner: { publicKey: '', sign: idle, verify: idle },
  inspector: { inspect: idle },
  webhookSecrets: { secretOf: idle },
  renderer: { render: idle, check: idle },
  defaultLocale: 'en',
  clock: idle,
  ids: {
    messageId: idle,
    recipientId: idle,
    routeId: idle,
    endpointId: idle,
    erasureId: idle,
    keyedMessageId: idle,
    keyedErasureId: idle,
    attemptId: idle,
    eventId: idle,
    traceId: idle,
    spanId: () => '',
  },
  blind: idle,
  auth: idle,
  maxParts: 24,
  providers: new Map(),
  breakers: { ask: idle, report: idle, force: idle, states: idle, watch: idle },
  publicUrl: '',
  inbox: { list: idle, mail: idle },
  health: idle,
  metrics: new Registry(),
  logger: pino({ level: 'silent' }),
}
