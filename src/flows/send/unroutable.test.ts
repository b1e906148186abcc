import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { Tenant } from '../../domain/access/tenant.ts'
import type { ProviderName } from '../../domain/ids.ts'
import type { Route } from '../../domain/routing/routing.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { CONTENT, fixed, openGateway, SUBMISSION, TENANT } from '../gateway.fixture.ts'
import { type AdmitDeps, admit } from './admit.ts'
import type { Routes } from './find-route.ts'

const BRAZIL: Route = { id: 'brazil' as never, channel: 'sms', prefix: '+55', providers: ['one' as ProviderName] }
const ELSEWHERE = { ...SUBMISSION, content: { ...CONTENT, to: '+15005550100' as never } }

function open(routes: Routes, tenant?: Partial<Tenant>) {
  const engine = openMemoryEngine({ clock: () => gateway.deps.clock() })
  const gateway = openGateway({ openEngine: () => engine, ids: openIds() })
  const described = tenant && { id: TENANT, state: 'active' as const, ...tenant }
  const tenants = { of: () => described, isLoaded: () => true, list: () => [] }
  const deps: AdmitDeps = { ...gateway.deps, ...engine, tenants, routes, blind: (of, to) => `${of} ${to}` }
  return { ...gateway, deps }
}

async function assertRefused({ deps }: ReturnType<typeof open>, submission: typeof SUBMISSION, message: RegExp) {
  const tip = await deps.log.tip()
  await assert.rejects(admit(deps, submission), { code: 'NO_ROUTE_FOUND', message })
  assert.equal(await deps.log.tip(), tip)
}

test('a message that no route matches is refused, and nothing is stored', async () => {
  const gateway = open(fixed([{ ...BRAZIL, prefix: '+351' }]))
  await assertRefused(gateway, SUBMISSION, /no route matches/)
  await assertRefused(open(fixed([{ ...BRAZIL, channel: 'email' }])), SUBMISSION, /no route matches/)
  await assertRefused(open(fixed([BRAZIL])), ELSEWHERE, /no route matches/)
  assert.equal((await admit(open(fixed([BRAZIL])).deps, SUBMISSION)).replayed, false)
})

test('so is one whose route names no provider that is configured, or that the tenant may use', async () => {
  const gone: Route = { ...BRAZIL, providers: ['gone' as ProviderName] }
  await assertRefused(open(fixed([gone])), SUBMISSION, /the route brazil names no configured provider/)
  const other = { providers: ['other' as ProviderName] }
  await assertRefused(open(fixed([BRAZIL]), other), SUBMISSION, /no provider that the tenant may use/)
})

test('while this process has not loaded the routes, the worker decides', async () => {
  assert.equal((await admit(open({ of: () => undefined }).deps, SUBMISSION)).replayed, false)
})

test('a repeated call gets its first answer, also when the route is gone', async () => {
  let routes: readonly Route[] = [BRAZIL]
  const { deps } = open({ of: () => routes })
  const keyed = { ...SUBMISSION, idempotencyKey: 'order 17' }
  const first = await admit(deps, keyed)
  routes = []
  assert.deepEqual(await admit(deps, keyed), { ...first, replayed: true })
  await assert.rejects(admit(deps, { ...keyed, idempotencyKey: 'order 18' }), { code: 'NO_ROUTE_FOUND' })
})
