/** Answers 405 with the allowed methods for a path that exists, and leaves 404 to unknown paths. */
import { refuse } from '../../flows/errors.ts'
import type { Api } from './context.ts'

/** Call it before the first route is added, and its result after the last. */
export function trackMethods(app: Api): () => void {
  const routes = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method }) => {
    const methods = routes.get(url) ?? new Set()
    routes.set(url, methods)
    for (const one of [method].flat()) methods.add(one)
  })

  return () => {
    for (const [url, methods] of [...routes]) {
      const allow = [...methods].toSorted().join(', ')
      const refuseMethod = (method: string): never => {
        throw refuse('METHOD_NOT_ALLOWED', `${method} is not allowed on this path; allowed methods: ${allow}`)
      }
      app.route({
        method: app.supportedMethods.filter((method) => !methods.has(method)),
        url,
        schema: { hide: true },
        // First of all: no token and no body would make the call valid.
        onRequest: async ({ method }, reply) => {
          reply.header('allow', allow)
          refuseMethod(method)
        },
        handler: ({ method }) => refuseMethod(method),
      })
    }
  }
}
