/**
 * A long text that anybody may read: made once, at the first call, and sent as the same bytes to everybody. So a call
 * costs no work, and an answer that is not read takes no memory of its own.
 */
import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { acceptedEncodings } from './encodings.ts'

export type SendDocument = (request: FastifyRequest, reply: FastifyReply) => FastifyReply

type Made = Readonly<{ body: Buffer; gzipped: Buffer; etag: string }>

export function fixedDocument(type: string, write: () => string): SendDocument {
  let made: Made | undefined
  return (request, reply) => {
    made ??= make(write())
    const { body, gzipped, etag } = made
    reply.type(type).headers({ etag, vary: 'accept-encoding', 'cache-control': 'no-cache' })
    if (isKnown(request.headers['if-none-match'], etag)) return reply.code(304).send()
    if (!acceptedEncodings(request.headers['accept-encoding']).includes('gzip')) return reply.send(body)
    return reply.header('content-encoding', 'gzip').send(gzipped)
  }
}

/** The tag is weak because both encodings have it. */
function make(text: string): Made {
  const body = Buffer.from(text)
  const digest = createHash('sha256').update(body).digest('base64url')
  return { body, gzipped: gzipSync(body), etag: `W/"${digest}"` }
}

const isKnown = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch?.split(',').some((one) => ['*', etag].includes(one.trim())) ?? false
