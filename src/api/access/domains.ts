import type { Caller } from '../../domain/access/caller.ts'
import { parseSendingDomain, type SendingDomain } from '../../domain/access/sending-domain.ts'
import { isTestTenant, liveTenantOf } from '../../domain/access/test-mode.ts'
import type { TenantId } from '../../domain/ids.ts'
import { type AddDomainDeps, addDomain } from '../../flows/access/add-domain.ts'
import { verifyDomain } from '../../flows/access/verify-domain.ts'
import { refuse } from '../../flows/errors.ts'
import { boundedPerKey } from '../../lib/bounded.ts'
import type { DnsLookup } from '../../ports/dns-lookup.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import type { Guard } from '../http/auth.ts'
import { type Api, callerOf } from '../http/context.ts'
import { listOf, NO_CONTENT, responses } from '../http/schemas.ts'
import { refuseFields } from '../http/validation.ts'
import { type Audit, audited } from './audit.ts'
import { DomainAdd, DomainParams, DomainView, toDomainSnapshot, toDomainView } from './domain-schemas.ts'

export type DomainsDeps = AddDomainDeps & Readonly<{ dns: DnsLookup; guard: Guard; audit: Audit }>

/** Of one tenant. Each may wait some seconds for servers that do not answer. */
const MAX_CHECKS_AT_ONCE = 8

export function domainRoutes(app: Api, deps: DomainsDeps): void {
  const { domains, guard, audit } = deps
  const mayManage = guard('admin')
  const bounded = boundedPerKey(MAX_CHECKS_AT_ONCE, () => new Unavailable('too many checks wait for the DNS'))

  app.get('/v1/domains', { schema: LIST, onRequest: mayManage }, async (request) => ({
    items: domainsOf(deps, liveTenantOf(callerOf(request).tenantId)).map(toDomainView),
  }))

  app.get('/v1/domains/:domain', { schema: FIND, onRequest: mayManage }, async (request) =>
    toDomainView(find(deps, liveTenantOf(callerOf(request).tenantId), request.params.domain)),
  )

  app.post('/v1/domains', { schema: ADD, onRequest: mayManage }, async (request, reply) => {
    const tenantId = liveTenantIn(callerOf(request))
    requireLoaded(deps)
    const domain = await addDomain(deps, tenantId, readName(request.body.domain))
    await audit(request, { action: 'domain.created', target: toTarget(domain), after: toDomainSnapshot(domain) })
    reply.code(201)
    return toDomainView(domain)
  })

  app.post('/v1/domains/:domain/verify', { schema: VERIFY, onRequest: mayManage }, async (request) => {
    const found = find(deps, liveTenantIn(callerOf(request)), request.params.domain)
    const checked = await verifyDomain({ ...deps, bounded }, found)
    const [before, after] = [toDomainSnapshot(found), toDomainSnapshot(checked)]
    await audit(request, { action: 'domain.checked', target: toTarget(checked), before, after })
    return toDomainView(checked)
  })

  app.delete('/v1/domains/:domain', { schema: REMOVE, onRequest: mayManage }, async (request, reply) => {
    const found = find(deps, liveTenantIn(callerOf(request)), request.params.domain)
    if (!(await domains.remove(found.tenantId, found.name))) throw notAdded()
    await audit(request, { action: 'domain.removed', target: toTarget(found), before: toDomainSnapshot(found) })
    return reply.code(204).send()
  })
}

function liveTenantIn({ tenantId }: Caller): TenantId {
  if (isTestTenant(tenantId)) {
    throw refuse('FORBIDDEN', 'Test mode shares the domains of live mode and cannot change them; use live mode')
  }
  return tenantId
}

const toTarget = ({ name }: SendingDomain) => ({ kind: 'domain', id: name })

const notAdded = () => refuse('NOT_FOUND', 'You have not added this domain')

function requireLoaded({ domains }: DomainsDeps): void {
  if (!domains.isLoaded()) throw new Unavailable('the domains are not loaded yet')
}

function domainsOf(deps: DomainsDeps, tenantId: TenantId): readonly SendingDomain[] {
  requireLoaded(deps)
  return deps.domains.list(tenantId)
}

function find(deps: DomainsDeps, tenantId: TenantId, text: string): SendingDomain {
  const name = parseSendingDomain(text)
  const found = domainsOf(deps, tenantId).find((domain) => domain.name === name)
  if (found === undefined) throw notAdded()
  return found
}

function readName(text: string): string {
  const name = parseSendingDomain(text)
  if (name === undefined)
    throw refuseFields([{ path: '/domain', message: 'must be a domain, for example acme.example' }])
  return name
}

const tags = ['domains']
const params = DomainParams

const LIST = {
  operationId: 'listDomains',
  tags,
  summary: 'List domains',
  description: 'The domains of your tenant, by name.',
  response: responses({
    200: { description: 'The domains.', schema: listOf(DomainView) },
  }),
}

const FIND = {
  operationId: 'getDomain',
  tags,
  summary: 'Get a domain',
  description: 'Shows the DNS records to publish, and what the last check found.',
  params,
  response: responses({ 200: { description: 'The domain.', schema: DomainView } }, 'NOT_FOUND'),
}

const ADD = {
  ...audited('domain.created'),
  operationId: 'addDomain',
  tags,
  summary: 'Add a domain',
  description:
    'Creates the two DNS records to publish: one proves that the domain is yours, and one contains the public key of a new DKIM key. Then verify the domain.',
  body: DomainAdd,
  response: responses(
    { 201: { description: 'The domain, and the records to publish.', schema: DomainView } },
    'VALIDATION_ERROR',
    'CONFLICT',
  ),
}

const VERIFY = {
  ...audited('domain.checked'),
  operationId: 'verifyDomain',
  tags,
  summary: 'Verify a domain',
  description:
    'Looks the records up in the DNS. If the proof of ownership is there, only you may send email from the domain and its subdomains. Email that goes out by SMTP is signed with its DKIM key, once that record is there too. Call it again to check again: a domain whose proof is gone is no longer verified. While the DNS gives no answer, the call gets 503 and nothing changes. A domain that another tenant has verified gets 409.',
  params,
  response: responses(
    { 200: { description: 'The domain, and what the check found.', schema: DomainView } },
    'NOT_FOUND',
    'CONFLICT',
  ),
}

const REMOVE = {
  ...audited('domain.removed'),
  operationId: 'removeDomain',
  tags,
  summary: 'Delete a domain',
  description: 'Destroys its DKIM key, and releases the domain for others.',
  params,
  response: { ...NO_CONTENT, ...responses({}, 'NOT_FOUND') },
}
