/**
 * How much of large bodies a process reads at once. A mail may bring megabytes, and is in memory several times while
 * it is read, checked and stored; who comes when there is no room is asked to come again.
 */
import type { onRequestHookHandler } from 'fastify'
import { Cargo } from '../domain/cargo.ts'
import { Unavailable } from '../ports/unavailable.ts'

/** In bytes: what is smaller is not counted. */
const LIGHT = 64 * 1024
const ROOM_KILOBYTES = 32 * 1024

export type HeavyDeps = Readonly<{ boundBody: ReturnType<typeof boundBodies> }>

/** One for all routes that take such bodies; `bodyLimit` stands for the length of one that does not tell it. */
export function boundBodies(room = ROOM_KILOBYTES): (bodyLimit: number) => onRequestHookHandler {
  const cargo = new Cargo(room)
  return (bodyLimit) => (request, reply, done) => {
    const bytes = Math.min(Number(request.headers['content-length'] ?? bodyLimit), bodyLimit)
    if (bytes < LIGHT) return done()
    const unload = cargo.take(Math.ceil(bytes / 1024))
    if (unload === undefined) return done(new Unavailable('too many large messages are being taken at once'))
    reply.raw.once('close', unload)
    done()
  }
}
