/**
 * Reports every answered request by its route. Hooks of the routes themselves, because reading the route of a request
 * costs more than the rest; and when the answer is sent rather than when it has arrived, which would need two listeners
 * per response. What is hijacked, like an event stream, is not reported.
 */
import type { FastifyRequest, onRequestHookHandler, onSendHookHandler } from 'fastify'
import type { Api } from './context.ts'

export type RequestMeter = Readonly<{
  onRequestAnswered: (method: string, route: string, status: number, seconds: number) => void
}>

declare module 'fastify' {
  interface FastifyRequest {
    /** By the monotonic clock. */
    startedAt: number
  }
}

/** Call it before the first route is added. */
export function measureRequests(app: Api, { onRequestAnswered }: RequestMeter): void {
  app.decorateRequest('startedAt', 0)
  const begin: onRequestHookHandler = (request, _reply, done) => {
    request.startedAt = performance.now()
    done()
  }
  app.addHook('onRoute', (route) => {
    const end: onSendHookHandler = (request, { statusCode }, payload, done) => {
      onRequestAnswered(request.method, route.url, statusCode, secondsSince(request))
      done(null, payload)
    }
    route.onRequest = [begin, ...[route.onRequest ?? []].flat()]
    route.onSend = [...[route.onSend ?? []].flat(), end]
  })
}

const secondsSince = ({ startedAt }: FastifyRequest): number => (performance.now() - startedAt) / 1000
