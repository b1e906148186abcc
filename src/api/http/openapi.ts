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

/** Stands for any dependency and any of its methods; calling it is an error. */
const UNUSED: unknown = new Proxy(() => undefined, {
  get: () => UNUSED,
  apply() {
    throw new Error('rendering the OpenAPI document called a dependency')
  },
})

/** The dependencies that the description itself depends on. */
const DESCRIBED: Partial<ApiDeps> = {
  otp: { limit: 5, window: seconds(600) },
  defaultLocale: 'en',
  maxParts: 24,
  providers: new Map(),
  publicUrl: '',
  metrics: new Registry(),
  logger: pino({ level: 'silent' }),
  // The prefix of request ids.
  ids: { spanId: () => '' } as ApiDeps['ids'],
}

const UNUSED_DEPS = new Proxy(DESCRIBED, {
  get: (described, name) => Reflect.get(described, name) ?? UNUSED,
}) as ApiDeps
