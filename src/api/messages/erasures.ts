/** Erasing everything sent to one recipient: an asynchronous job that ends with a signed receipt. */
import type { Static } from 'typebox'
import { parseErasureId, type TenantId } from '../../domain/ids.ts'
import type { Erasure } from '../../domain/message/erasure.ts'
import { type StartErasureDeps, startErasure } from '../../flows/admin/start-erasure.ts'
import { notFound, refuse } from '../../flows/errors.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { toIso } from '../../lib/time.ts'
import type { ErasureSigner } from '../../ports/erasure-signer.ts'
import type { Audit } from '../access/audit.ts'
import type { Guard } from '../http/auth.ts'
import { type Api, callerOf } from '../http/context.ts'
import { parseIdempotencyKey } from '../http/idempotency-key.ts'
import { isoOrNull } from '../http/schemas.ts'
import { refuseFields } from '../http/validation.ts'
import {
  CREATE_ERASURE,
  type ErasureView,
  GET_ERASURE,
  GET_PUBLIC_KEY,
  LIST_ERASURES,
  VERIFY_RECEIPT,
} from './erasure-schemas.ts'
import { readRecipient } from './message-search.ts'

export type ErasuresDeps = StartErasureDeps & Readonly<{ guard: Guard; audit: Audit; receiptSigner: ErasureSigner }>

/** A receipt lists up to a thousand failures. */
const RECEIPT_LIMIT = 1024 * 1024

export function erasureRoutes(app: Api, deps: ErasuresDeps): void {
  const { erasures, receiptSigner, guard, audit, blind } = deps
  const [mayRead, mayWrite] = [guard('messages:read'), guard('messages:write')]
  const verifying = { schema: VERIFY_RECEIPT, onRequest: mayRead, bodyLimit: RECEIPT_LIMIT }

  app.post('/v1/erasures', { schema: CREATE_ERASURE, onRequest: mayWrite }, async (request, reply) => {
    const { tenantId, accountId } = callerOf(request)
    const key = readKey(request.headers['idempotency-key'])
    const erasure = await startErasure(deps, { tenantId, accountId, to: readRecipient(request.body.to), key })
    const after = { channel: erasure.channel }
    await audit(request, { action: 'erasure.started', target: { kind: 'erasure', id: erasure.id }, after })
    reply.code(202).header('location', `/v1/erasures/${erasure.id}`)
    return toView(erasure)
  })

  app.get('/v1/erasures', { schema: LIST_ERASURES, onRequest: mayRead }, async (request) => {
    const { limit = 50, cursor } = request.query
    const page = await erasures.list(omitUndefined({ tenantId: callerOf(request).tenantId, limit, cursor }))
    return { items: page.erasures.map(toView), next_cursor: page.nextCursor ?? null }
  })

  app.get('/v1/erasures/public-key', { schema: GET_PUBLIC_KEY, onRequest: mayRead }, async () => ({
    algorithm: 'Ed25519' as const,
    public_key: receiptSigner.publicKey,
    jwk: { kty: 'OKP' as const, crv: 'Ed25519' as const, x: receiptSigner.publicKey },
  }))

  app.post('/v1/erasures/verify', verifying, async (request) => {
    const { to, receipt, signature } = request.body
    const { tenantId } = callerOf(request)
    const valid = receiptSigner.verify({ receipt, signature })
    const recipientMatches = to === undefined ? null : receipt.recipient_hash === blind(tenantId, readRecipient(to))
    return { valid, recipient_matches: recipientMatches }
  })

  app.get('/v1/erasures/:id', { schema: GET_ERASURE, onRequest: mayRead }, async (request) =>
    toView(await find(deps, callerOf(request).tenantId, request.params.id)),
  )
}

function readKey(header: string | undefined): string | undefined {
  if (header === undefined) return undefined
  const key = parseIdempotencyKey(header, undefined)
  if (typeof key !== 'string') throw refuseFields([key])
  return key
}

async function find({ erasures }: ErasuresDeps, tenantId: TenantId, text: string): Promise<Erasure> {
  const id = parseErasureId(text)
  if (id === undefined) throw refuse('NOT_FOUND', 'No erasure with this id: erasure ids are UUIDs')
  const erasure = await erasures.find(tenantId, id)
  if (erasure === undefined) throw notFound('erasure', id)
  return erasure
}

const toView = (erasure: Erasure): Static<typeof ErasureView> => ({
  id: erasure.id,
  status: erasure.completedAt === undefined ? 'running' : 'completed',
  erased: erasure.erased,
  failed: erasure.failed,
  failures: erasure.failures.map(({ messageId, reason }) => ({ message_id: messageId, reason })),
  requested_at: toIso(erasure.requestedAt),
  updated_at: toIso(erasure.updatedAt),
  completed_at: isoOrNull(erasure.completedAt),
  receipt: erasure.receipt ?? null,
})
