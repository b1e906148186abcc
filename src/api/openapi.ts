/** The OpenAPI document as a text, for docs/openapi.json: from an API that is opened and never called. */
import pino from 'pino'
import { Registry } from 'prom-client'
import { type ApiDeps, openApi } from './server.ts'

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
  index: {
    apply: idle,
    position: idle,
    search: idle,
    stats: idle,
    neglected: idle,
    tombstone: idle,
    clear: idle,
  },
  clock: idle,
  ids: { messageId: idle, keyedMessageId: idle, attemptId: idle, eventId: idle, traceId: idle, spanId: () => '' },
  blind: idle,
  auth: idle,
  maxParts: 24,
  providers: new Map(),
  publicUrl: '',
  inbox: idle,
  health: idle,
  metrics: new Registry(),
  logger: pino({ level: 'silent' }),
}
