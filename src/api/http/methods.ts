/** A path we know, asked with a method it does not have, is 405 with what it has; only an unknown path is 404. */
import { refuse } from '../../flows/errors.ts'
import type { Api } from './context.ts'

/** To be called before the first route; what it returns, after the last. */
export function watchMethods(app: Api): () => void {
  const known = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method }) => {
    const methods = known.get(url) ?? new Set()
    known.set(url, methods)
    for (const one of [method].flat()) methods.add(one)
  })

  return () => {
    for (const [url, has] of [...known]) {
      const allow = [...has].toSorted().join(', ')
      const refuseMethod = (): never => {
        throw refuse('METHOD_NOT_ALLOWED', `this resource knows ${allow}`)
      }
      app.route({
        method: app.supportedMethods.filter((method) => !has.has(method)),
        url,
        schema: { hide: true },
        // Before anything else: neither a token nor a body could make it right.
        onRequest: async (_request, reply) => {
          reply.header('allow', allow)
          refuseMethod()
        },
        handler: refuseMethod,
      })
    }
  }
}
