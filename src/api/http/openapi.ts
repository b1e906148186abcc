/** Renders the OpenAPI document for docs/openapi.json, from an API that is opened and never called. */
import pino from 'pino'
import { Registry } from 'prom-client'
import { seconds } from '../../lib/time.ts'
import { type ApiDeps, openApi } from '../server.ts'

export async function renderOpenApi(): Promise<string> {
  const app = await openApi(UNUSED_DEPS)
  const document = app.swagger()
  await app.close()
  return `${JSON.stringify(document, null, 2)}\n`
}

const unused = (): never => {
  throw new Error('rendering the OpenAPI document called a dependency')
}

const UNUSED_DEPS: ApiDeps = {
  log: {
    append: unused,
    latest: unused,
    load: unused,
    read: unused,
    shred: unused,
    follow: unused,
    changes: unused,
    tip: unused,
  },
  queue: { depth: unused },
  index: {
    position: unused,
    search: unused,
    stats: unused,
    errors: unused,
    overdue: unused,
    tombstone: unused,
  },
  limiter: { admit: unused, status: unused },
  challenges: { begin: unused, arm: unused, find: unused, claim: unused, verify: unused, ended: unused, clear: unused },
  hasher: { hash: unused, matches: unused },
  drawCode: unused,
  otp: { limit: 5, window: seconds(600) },
  rules: { scopes: unused, counters: unused, find: unused, set: unused, remove: unused, list: unused },
  recipients: { add: unused, change: unused, find: unused, remove: unused, search: unused },
  templates: { add: unused, find: unused, versions: unused, list: unused, remove: unused },
  routes: { of: unused, add: unused, change: unused, remove: unused },
  endpoints: { add: unused, find: unused, list: unused, change: unused, remove: unused, judge: unused },
  webhookDeliveries: {
    enqueue: unused,
    take: unused,
    complete: unused,
    release: unused,
    list: unused,
    replay: unused,
    resume: unused,
    forget: unused,
  },
  suppressions: { add: unused, find: unused, remove: unused, list: unused },
  erasures: { start: unused, find: unused, list: unused, claim: unused, save: unused },
  retention: { prune: unused, stored: unused },
  receiptSigner: { publicKey: '', sign: unused, verify: unused },
  inspector: { inspect: unused },
  webhookSecrets: { secretOf: unused },
  renderer: { render: unused, check: unused },
  defaultLocale: 'en',
  clock: unused,
  ids: {
    messageId: unused,
    recipientId: unused,
    routeId: unused,
    endpointId: unused,
    erasureId: unused,
    keyedMessageId: unused,
    keyedErasureId: unused,
    attemptId: unused,
    eventId: unused,
    traceId: unused,
    spanId: () => '',
  },
  blind: unused,
  auth: unused,
  maxParts: 24,
  providers: new Map(),
  breakers: { ask: unused, report: unused, force: unused, states: unused, watch: unused },
  publicUrl: '',
  inbox: { list: unused, mail: unused },
  health: unused,
  metrics: new Registry(),
  logger: pino({ level: 'silent' }),
}
