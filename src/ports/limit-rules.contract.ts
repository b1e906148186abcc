/** The tests every store of limits must pass. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import type { TenantId } from '../domain/ids.ts'
import { EACH, LIMIT_OWNERS, type LimitScope, type Rule } from '../domain/limits/limits.ts'
import { later, millis, seconds } from '../lib/time.ts'
import type { KnownKey, Limit, LimitRules, OwnedKey } from './limit-rules.ts'
import { NOON, present, tenant } from './samples.contract.ts'

/** The store may be shared: every test uses tenants of its own. */
export type OpenLimitRules = () => Promise<Readonly<{ rules: LimitRules }> & AsyncDisposable>

export function limitRulesContract(engine: string, open: OpenLimitRules): void {
  describe(`limit rules on ${engine}`, { timeout: 120_000 }, () => {
    test('a limit is found as it was set', async () => {
      await using opened = await open()
      const { rules } = opened
      const wanted = someLimit({
        shown: '+*******4321',
        rule: { limit: 1e9, window: millis(31_536_000_000), algorithm: 'sliding' },
      })
      assert.equal(await rules.find(wanted), undefined)
      const set = await present(rules.set(wanted))
      assert.deepEqual(set, { ...wanted, version: set.version })
      assert.deepEqual(await rules.find(ownedKeyOf(wanted)), set)
    })

    test('every set assigns a new version', async () => {
      await using opened = await open()
      const { rules } = opened
      const wanted = someLimit()
      const changed = { ...wanted, rule: { ...wanted.rule, limit: 7 }, updatedAt: later(NOON, seconds(1)) }
      const set = [
        await present(rules.set(wanted)),
        await present(rules.set(changed)),
        await present(rules.set(changed)),
      ]
      assert.deepEqual(await rules.find(wanted), set[2])
      await rules.remove(wanted)
      set.push(await present(rules.set(wanted)), await present(rules.set({ ...wanted, key: EACH })))
      assert.equal(new Set(set.map(({ version }) => version)).size, set.length)
    })

    test('removing a limit deletes it, and returns whether it existed', async () => {
      await using opened = await open()
      const { rules } = opened
      const wanted = someLimit()
      assert.equal(await rules.remove(wanted), false)
      await rules.set(wanted)
      assert.equal(await rules.remove(wanted), true)
      assert.equal(await rules.find(wanted), undefined)
      assert.deepEqual(rules.counters([wanted]), [])
      assert.equal(await rules.remove(wanted), false)
    })

    test('a key counts by its own rule, or else by the default of its scope, or else not at all', async () => {
      await using opened = await open()
      const { rules } = opened
      const [own, other] = [someLimit(), someLimit()]
      const each = await present(
        rules.set({ ...own, key: EACH, shown: EACH, rule: FEW, updatedAt: later(NOON, seconds(1)) }),
      )
      const set = await present(rules.set(own))
      const unset: KnownKey = { tenantId: own.tenantId, scope: own.scope, key: 'unset' }
      const account: KnownKey = { ...unset, scope: 'account' }
      const code: KnownKey = { ...unset, scope: 'otp' }
      assert.deepEqual(rules.counters([account, keyOf(own), code, keyOf(other), unset]), [
        { ...ownedKeyOf(own), rule: set.rule, version: set.version, setAt: set.updatedAt },
        { ...unset, setBy: 'tenant', rule: FEW, version: each.version, setAt: each.updatedAt },
      ])
      await rules.remove(own)
      assert.deepEqual(rules.counters([keyOf(own)]), [
        { ...ownedKeyOf(own), rule: FEW, version: each.version, setAt: each.updatedAt },
      ])
      await rules.remove(each)
      assert.deepEqual(rules.counters([keyOf(own), unset]), [])
    })

    test('returns the scopes in which a tenant has rules', async () => {
      await using opened = await open()
      const { rules } = opened
      const wanted = someLimit()
      const { tenantId } = wanted
      assert.deepEqual(rules.scopes(tenantId), new Set())
      for (const key of [EACH, 'one', 'two']) await rules.set({ ...wanted, key })
      await rules.set({ ...wanted, scope: 'account' })
      assert.deepEqual(rules.scopes(tenantId), new Set(['account', 'recipient']))
      for (const key of [EACH, 'one']) await rules.remove({ ...wanted, key })
      await rules.remove({ ...wanted, scope: 'account' })
      assert.deepEqual(rules.scopes(tenantId), new Set(['recipient']))
      await rules.remove({ ...wanted, key: 'two' })
      assert.deepEqual(rules.scopes(tenantId), new Set())
    })

    test('S5-P10 a user counts by its own newest rule, or else by the default, and not at all once both are removed', async () => {
      await using opened = await open()
      const { rules } = opened
      const wanted = someLimit({ scope: 'user', key: '101' })
      const { tenantId } = wanted
      const ofUser = async (user: string) => (await rules.ofUser(tenantId, user)).map(toRule)
      assert.deepEqual([rules.scopes(tenantId), await ofUser('101')], [new Set(), []])
      for (const limit of [1, 2, 3]) {
        const changed = { ...wanted, rule: { ...wanted.rule, limit } }
        const { version, rule, updatedAt } = await present(rules.set(changed))
        assert.deepEqual(await rules.ofUser(tenantId, '101'), [
          { ...ownedKeyOf(wanted), rule, version, setAt: updatedAt },
        ])
      }
      assert.deepEqual([rules.scopes(tenantId), await ofUser('102')], [new Set(['user']), []])
      await rules.set({ ...wanted, setBy: 'operator', rule: FEW })
      await rules.set({ ...wanted, key: EACH, rule: FEW })
      assert.deepEqual(await ofUser('101'), [
        ['operator', FEW],
        ['tenant', { ...wanted.rule, limit: 3 }],
      ])
      assert.deepEqual(await ofUser('102'), [['tenant', FEW]])
      await rules.remove(wanted)
      assert.deepEqual(await ofUser('101'), [
        ['operator', FEW],
        ['tenant', FEW],
      ])
      await rules.remove({ ...wanted, setBy: 'operator' })
      await rules.remove({ ...wanted, key: EACH })
      assert.deepEqual(await ofUser('101'), [])
      assert.equal(await rules.find(wanted), undefined)
    })

    test('counters use the newest rule as soon as it is set', async () => {
      await using opened = await open()
      const { rules } = opened
      const wanted = someLimit()
      for (const limit of [1, 2, 3]) {
        const { version, rule, updatedAt } = await present(rules.set({ ...wanted, rule: { ...wanted.rule, limit } }))
        assert.deepEqual(rules.counters([wanted]), [{ ...ownedKeyOf(wanted), rule, version, setAt: updatedAt }])
      }
    })

    test('where an operator and the tenant have set a limit, both count, and removing one leaves the other', async () => {
      await using opened = await open()
      const { rules } = opened
      const mine = someLimit()
      const theirs = { ...mine, setBy: 'operator' as const, rule: FEW }
      const [own, operators] = [await present(rules.set(mine)), await present(rules.set(theirs))]
      assert.notEqual(own.version, operators.version)
      assert.deepEqual([await rules.find(mine), await rules.find(theirs)], [own, operators])
      assert.deepEqual(rules.counters([keyOf(mine)]).map(toRule), [
        ['operator', FEW],
        ['tenant', mine.rule],
      ])
      assert.equal(await rules.remove(mine), true)
      assert.equal(await rules.remove(mine), false)
      assert.deepEqual(rules.counters([keyOf(mine)]).map(toRule), [['operator', FEW]])
      assert.deepEqual(rules.scopes(mine.tenantId), new Set(['recipient']))
      assert.equal(await rules.remove(theirs), true)
      assert.deepEqual([rules.counters([keyOf(mine)]), rules.scopes(mine.tenantId)], [[], new Set()])
    })

    test("a tenant's rule for a key does not replace an operator's default of the scope", async () => {
      await using opened = await open()
      const { rules } = opened
      const mine = someLimit()
      await rules.set({ ...mine, key: EACH, shown: EACH, setBy: 'operator', rule: FEW })
      await rules.set(mine)
      await rules.set({ ...mine, scope: 'account' })
      assert.deepEqual(rules.counters([keyOf(mine)]).map(toRule), [
        ['operator', FEW],
        ['tenant', mine.rule],
      ])
      assert.deepEqual(rules.counters([{ ...keyOf(mine), key: 'other' }]).map(toRule), [['operator', FEW]])
      assert.deepEqual(rules.scopes(mine.tenantId), new Set(['recipient', 'account']))
    })

    test('does not share limits between tenants', async () => {
      await using opened = await open()
      const { rules } = opened
      const mine = someLimit()
      await rules.set(mine)
      await rules.set({ ...mine, key: EACH })
      const theirs = { ...keyOf(mine), setBy: mine.setBy, tenantId: tenant(randomUUID()) }
      assert.equal(await rules.find(theirs), undefined)
      assert.equal(await rules.remove(theirs), false)
      assert.deepEqual(rules.counters([theirs]), [])
      assert.deepEqual(await rules.list({ tenantId: theirs.tenantId, limit: 10 }), { limits: [] })
      assert.equal(rules.counters([mine]).length, 1)
    })

    test('limits are listed by scope, key and owner, a page at a time', async () => {
      await using opened = await open()
      const { rules } = opened
      const tenantId = tenant(randomUUID())
      const names = [EACH, 'B', 'a', 'a-1', 'b', 'é', '101', '99']
      const scopes: readonly LimitScope[] = ['user', 'tenant', 'recipient', 'account']
      const wanted = scopes.flatMap((scope) =>
        names.flatMap((key) => LIMIT_OWNERS.map((setBy) => someLimit({ tenantId, scope, key, setBy, shown: key }))),
      )
      const set = await Promise.all(wanted.map((limit) => present(rules.set(limit))))
      const expected = set.toSorted(
        (one, other) =>
          compare(one.scope, other.scope) || compare(one.key, other.key) || compare(one.setBy, other.setBy),
      )
      for (const limit of [1, 3, 64, 100]) assert.deepEqual(await listAll(rules, { tenantId, limit }), expected)
      assert.deepEqual(
        await listAll(rules, { tenantId, scope: 'recipient', limit: 3 }),
        expected.filter(({ scope }) => scope === 'recipient'),
      )
    })
  })
}

const FEW: Rule = { limit: 1, window: seconds(1), algorithm: 'sliding' }

type Wanted = Omit<Limit, 'version'>

/** A limit for a recipient, by default of a new tenant. */
export function someLimit(wanted?: Partial<Omit<Wanted, 'scope'>>): Wanted & KnownKey
export function someLimit(wanted: Partial<Wanted>): Wanted
export function someLimit(wanted: Partial<Wanted> = {}): Wanted {
  return {
    tenantId: tenant(randomUUID()),
    scope: 'recipient',
    key: 'somebody',
    setBy: 'tenant',
    rule: { limit: 100, window: seconds(60), algorithm: 'fixed' },
    shown: 'somebody',
    updatedAt: NOON,
    ...wanted,
  }
}

const keyOf = ({ tenantId, scope, key }: KnownKey): KnownKey => ({ tenantId, scope, key })

const ownedKeyOf = ({ tenantId, scope, key, setBy }: OwnedKey): OwnedKey => ({ tenantId, scope, key, setBy })

const toRule = ({ setBy, rule }: ReturnType<LimitRules['counters']>[number]) => [setBy, rule]

const compare = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other))

type ListQuery = Readonly<{ tenantId: TenantId; scope?: LimitScope; limit: number }>

/** All pages, none longer than requested. */
async function listAll(rules: LimitRules, query: ListQuery): Promise<readonly Limit[]> {
  const all: Limit[] = []
  let cursor: string | undefined
  do {
    const { limits, nextCursor } = await rules.list(cursor === undefined ? query : { ...query, cursor })
    assert.ok(limits.length <= query.limit)
    all.push(...limits)
    cursor = nextCursor
  } while (cursor !== undefined)
  return all
}
