/**
 * Admits large request bodies within the memory budget, and gives each a time limit to arrive: a caller that announces
 * a large body and sends nothing would block the others.
 */
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import { refuse } from '../../flows/errors.ts'
import { callerOf } from './context.ts'
import { SMALL_BYTES, type TenantMemoryBudget } from './tenant-memory-budget.ts'

const MEGABYTE = 1024 * 1024

const toTimeoutMillis = (bytes: number): number => 10_000 + 1_000 * (bytes / MEGABYTE)

/** A hook for routes with large bodies, after their guard. A body without a Content-Length counts as `bodyLimit`. */
export type LimitBody = (bodyLimit: number) => onRequestHookHandler

export type LargeBodyDeps = Readonly<{ limitBody: LimitBody }>

export function limitLargeBodies(memory: TenantMemoryBudget, toTimeout = toTimeoutMillis): LimitBody {
  return (bodyLimit) => (request, reply, done) => {
    const bytes = Math.min(Number(request.headers['content-length'] ?? bodyLimit), bodyLimit)
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
