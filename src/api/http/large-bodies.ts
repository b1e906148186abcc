/**
 * Admits large request bodies within the memory budget, whatever the route, and gives each a time limit to arrive: a
 * caller that announces a large body and sends nothing would block the others.
 */
import type { FastifyReply, FastifyRequest, onRequestHookHandler, RouteOptions } from 'fastify'
import { refuse } from '../../flows/errors.ts'
import { callerOf } from './context.ts'
import { SMALL_BYTES, type TenantMemoryBudget } from './tenant-memory-budget.ts'

const MEGABYTE = 1024 * 1024

const toTimeoutMillis = (bytes: number): number => 10_000 + 1_000 * (bytes / MEGABYTE)

/** An onRoute hook for routes behind a guard: those that accept large bodies reserve memory for them after their guard. */
export type LimitBodies = (route: RouteOptions) => void

export function limitLargeBodies(memory: TenantMemoryBudget, toTimeout = toTimeoutMillis): LimitBodies {
  return (route) => {
    const { bodyLimit = 0, onRequest = [] } = route
    if (bodyLimit > SMALL_BYTES) route.onRequest = [...[onRequest].flat(), limitTo(bodyLimit, memory, toTimeout)]
  }
}

/** A body without a Content-Length counts as `bodyLimit`. */
function limitTo(
  bodyLimit: number,
  memory: TenantMemoryBudget,
  toTimeout: (bytes: number) => number,
): onRequestHookHandler {
  return (request, reply, done) => {
    const bytes = Number(request.headers['content-length'] ?? bodyLimit)
    // Fastify refuses it before it reads anything.
    if (bytes > bodyLimit) return done()
    if (bytes <= SMALL_BYTES) return done()
    // The caller may have disconnected while the guard was waiting: then there is no 'close' to release on.
    if (reply.raw.destroyed) return done(refuse('VALIDATION_ERROR', 'The caller disconnected'))
    const release = memory.reserve(callerOf(request).tenantId, bytes)
    const timeout = setTimeout(() => timeOut(request, reply), toTimeout(bytes))
    request.raw.once('end', () => clearTimeout(timeout))
    reply.raw.once('close', () => {
      clearTimeout(timeout)
      release()
    })
    done()
  }
}

/** Fails the reading of the body as a connection error would, so that the error handler can still answer. */
function timeOut({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (reply.sent || raw.listenerCount('error') === 0) return void raw.destroy()
  reply.header('connection', 'close')
  raw.emit('error', refuse('REQUEST_TIMEOUT', 'The request body did not arrive in time'))
}
