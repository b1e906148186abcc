/**
 * Lets large bodies in as far as there is room for them, and only for as long as they need to arrive: a caller that
 * announces much and sends nothing would keep the others out.
 */
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import { refuse } from '../../flows/errors.ts'
import { type BodyBudget, LIGHT } from './body-budget.ts'
import { callerOf } from './context.ts'

const MEGABYTE = 1024 * 1024

/** How long a body may be on its way, in milliseconds. */
const patienceFor = (bytes: number): number => 10_000 + 1_000 * (bytes / MEGABYTE)

/** For routes that take such bodies, after their guard; `bodyLimit` stands for the length of one that does not tell it. */
export type BoundBody = (bodyLimit: number) => onRequestHookHandler

export type BodiesDeps = Readonly<{ boundBody: BoundBody }>

export function boundBodies(room: BodyBudget, patience = patienceFor): BoundBody {
  return (bodyLimit) => (request, reply, done) => {
    const bytes = Math.min(Number(request.headers['content-length'] ?? bodyLimit), bodyLimit)
    if (bytes <= LIGHT) return done()
    // Who left while the guard was asking would not be heard leaving.
    if (reply.raw.destroyed) return done(refuse('VALIDATION_ERROR', 'the caller broke off'))
    const leave = room.take(callerOf(request).tenantId, bytes)
    const late = setTimeout(() => giveUp(request, reply), patience(bytes))
    request.raw.once('end', () => clearTimeout(late))
    reply.raw.once('close', () => {
      clearTimeout(late)
      leave()
    })
    done()
  }
}

/** Whoever reads the body hears of it as if the connection had failed, and answers while that still stands. */
function giveUp({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (reply.sent || raw.listenerCount('error') === 0) return void raw.destroy()
  reply.header('connection', 'close')
  raw.emit('error', refuse('REQUEST_TIMEOUT', 'the body did not arrive in time'))
}
