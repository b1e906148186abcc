import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TenantId } from '../ids.ts'
import { parseIdentity } from './identity.ts'

const RULES = { roleClaim: 'pombo_role', tenantClaim: 'pombo_tenant' }
const CLAIMS = { sub: 'sub|1', email: 'Ana@Example.com', name: ' Ana ', pombo_role: 'admin', pombo_tenant: 'acme' }

const parse = (claims: Readonly<Record<string, unknown>>, rules: object = {}) =>
  parseIdentity({ ...CLAIMS, ...claims }, { ...RULES, ...rules })

const identityIn = (claims: Readonly<Record<string, unknown>>, rules: object = {}) => {
  const parsed = parse(claims, rules)
  assert.equal(parsed.kind, 'identity', parsed.kind === 'refused' ? parsed.reason : '')
  return parsed.kind === 'identity' ? parsed.identity : undefined
}

test('reads who somebody is, with the address in lower case', () => {
  const email = { email: 'ana@example.com', isEmailVerified: false }
  const ana = { subject: 'sub|1', ...email, name: 'Ana', role: 'admin', tenantId: 'acme' }
  assert.deepEqual(identityIn({}), ana)
  const { name: _, ...nameless } = ana
  assert.deepEqual(identityIn({ name: 7 }), nameless)
  assert.deepEqual(identityIn({ name: 'A\u0000' }), nameless)
})

test('an address is verified if the provider says so, as a boolean or as text', () => {
  for (const verified of [true, 'true']) assert.equal(identityIn({ email_verified: verified })?.isEmailVerified, true)
  assert.equal(identityIn({ email_verified: undefined })?.isEmailVerified, false)
  for (const verified of [false, 'false', 'TRUE', '', 0, 1, null, [true], {}])
    assert.equal(parse({ email_verified: verified }).kind, 'refused', JSON.stringify(verified))
})

test('of several roles the highest applies, and unknown ones are ignored', () => {
  assert.equal(identityIn({ pombo_role: ['viewer', 'operator', 'root', 7] })?.role, 'operator')
  assert.equal(identityIn({ groups: ['support'] }, { roleClaim: 'groups' })?.role, 'support')
})

test('the default tenant is for people without the claim, not for those with a wrong one', () => {
  const defaultTenant = 'main' as TenantId
  assert.equal(identityIn({ pombo_tenant: undefined }, { defaultTenant })?.tenantId, 'main')
  assert.equal(identityIn({}, { defaultTenant })?.tenantId, 'acme')
  assert.equal(parse({ pombo_tenant: 'acme~test' }, { defaultTenant }).kind, 'refused')
})

test('refuses what is missing or cannot be trusted, in words without any claim', () => {
  const wrong: readonly (readonly [object, RegExp])[] = [
    [{ sub: undefined }, /who you are/],
    [{ sub: '' }, /who you are/],
    [{ sub: 'x'.repeat(256) }, /who you are/],
    [{ email: undefined }, /your email address/],
    [{ email: 'nobody' }, /your email address/],
    [{ email_verified: false }, /not verified/],
    [{ pombo_role: undefined }, /a role/],
    [{ pombo_role: 'root' }, /a role/],
    [{ pombo_role: { admin: true } }, /a role/],
    [{ pombo_tenant: undefined }, /a tenant/],
    [{ pombo_tenant: ['acme'] }, /a tenant/],
  ]
  for (const [claims, reason] of wrong) {
    const parsed = parse(claims as Record<string, unknown>)
    assert.match(parsed.kind === 'refused' ? parsed.reason : '', reason)
  }
})
