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
    page: unused,
    shred: unused,
    follow: unused,
    changes: unused,
    tip: unused,
  },
  feed: { live: unused, since: unused },
  eventCursors: { toId: unused, toPosition: unused },
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
  hasher: { hash: unused, reserve: unused, matches: unused },
  drawCode: unused,
  otp: { limit: 5, window: seconds(600) },
  rules: { scopes: unused, counters: unused, find: unused, set: unused, remove: unused, list: unused },
  recipients: { add: unused, change: unused, find: unused, remove: unused, search: unused },
  templates: { add: unused, find: unused, version: unused, versions: unused, list: unused, remove: unused },
  routes: { of: unused, add: unused, change: unused, remove: unused },
  domains: { list: unused, verified: unused, isLoaded: unused, add: unused, change: unused, remove: unused },
  domainSecrets: { create: unused, open: unused },
  dns: { txt: unused },
  tenants: { of: unused, isLoaded: unused, add: unused, change: unused, list: unused },
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
  usage: { measure: unused, setup: unused },
  apiKeys: {
    find: unused,
    isLoaded: unused,
    add: unused,
    end: unused,
    list: unused,
    touch: unused,
    forget: unused,
  },
  apiKeySecrets: { draw: unused, hash: unused },
  auditLog: { append: unused, list: unused },
  users: {
    add: unused,
    change: unused,
    remove: unused,
    find: unused,
    findByEmail: unused,
    findBySubject: unused,
    list: unused,
  },
  sessions: { begin: unused, find: unused, extend: unused, end: unused },
  signIn: {
    passwords: { hash: unused, verify: unused },
    tokens: { draw: unused, hash: unused, sign: unused },
    throttle: unused,
    lifetimes: { absolute: seconds(1), idle: seconds(1) },
    cookies: { session: '', oidc: '', isSecure: true },
    reader: { read: unused, verify: unused, csrfTokenOf: unused },
    checkOrigin: unused,
    checkTenant: unused,
    isPasswordOn: true,
  },
  receiptSigner: { publicKey: '', sign: unused, verify: unused },
  inspector: { inspect: unused },
  webhookSecrets: { secretOf: unused },
  renderer: { render: unused, check: unused },
  defaultLocale: 'en',
  quotasOf: unused,
  clock: unused,
  ids: {
    messageId: unused,
    recipientId: unused,
    routeId: unused,
    endpointId: unused,
    erasureId: unused,
    auditId: unused,
    userId: unused,
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
  retentionPolicy: { rules: [] },
  providers: new Map(),
  breakers: { ask: unused, report: unused, force: unused, states: unused, watch: unused },
  publicUrl: '',
  inbox: { list: unused, mail: unused },
  health: unused,
  metrics: new Registry(),
  logger: pino({ level: 'silent' }),
}
