/** The challenges of the cluster profile. Every change is one statement, so concurrent attempts queue for the row. */

import type { MessageId, TenantId } from '../../domain/ids.ts'
import type { Challenge } from '../../domain/otp/challenge.ts'
import type { Challenges, Conclusion } from '../../ports/challenges.ts'
import { toChallenge, toChallengeTerms } from '../shared/rows.ts'
import type { Database, Rows } from './database.ts'

const UNTOUCHED =
  'stored.attempts = 0 and stored.verified_at is null and stored.canceled_at is null and excluded.hash is not null'

const BEGIN = `
  with named as (
    insert into pombo.newest_challenges (tenant, subject, challenge) select $2, $8::text, $1 where $8 is not null
    on conflict (tenant, subject) do update set challenge = excluded.challenge
  )
  insert into pombo.challenges as stored
    (id, tenant, account, max_attempts, attempts, created_at, expires_at, ends_at, hash, terms)
  values ($1, $2, $3, $4, 0, $5, $6, $6, $7, $9)
  on conflict (id) do update set
    hash = case when ${UNTOUCHED} then excluded.hash else stored.hash end,
    max_attempts = case when ${UNTOUCHED} then excluded.max_attempts else stored.max_attempts end,
    terms = case when ${UNTOUCHED} then excluded.terms else stored.terms end,
    expires_at = case when ${UNTOUCHED} then excluded.expires_at else stored.expires_at end,
    ends_at = case when ${UNTOUCHED} then excluded.ends_at else greatest(stored.ends_at, excluded.ends_at) end
  returning hash
`

const ARM = `
  update pombo.challenges set hash = $3, max_attempts = $4, attempts = 0, verified_at = null, canceled_at = null,
    expires_at = $5, ends_at = $5, terms = $6
  where id = $1 and tenant = $2 and hash is distinct from $3
`

const FIND = 'select * from pombo.challenges where id = $1 and tenant = $2'

const FIND_NEWEST = `
  select c.* from pombo.newest_challenges n join pombo.challenges c on c.id = n.challenge and c.tenant = n.tenant
  where n.tenant = $1 and n.subject = $2
`

/** The last attempt ends the challenge: its code cannot be used any more. */
const CLAIM = `
  update pombo.challenges set attempts = attempts + 1,
    ends_at = case when attempts + 1 < max_attempts or ends_at < $3 then ends_at else $3 end
  where id = $1 and tenant = $2 and hash is not null and verified_at is null and canceled_at is null
    and attempts < max_attempts and expires_at > $3
  returning *
`

const toConclude = (column: 'verified_at' | 'canceled_at'): string => `
  update pombo.challenges set ${column} = $3, ends_at = case when ends_at > $3 then $3 else ends_at end
  where id = $1 and tenant = $2 and hash is not null and verified_at is null and canceled_at is null
  returning id
`
const CONCLUDE: Readonly<Record<Conclusion, string>> = {
  verified: toConclude('verified_at'),
  canceled: toConclude('canceled_at'),
}

const ENDED = 'select id, tenant from pombo.challenges where ends_at <= $1 order by ends_at limit $2'

/** Deletes more than one call adds. */
const CLEAR = `
  with forgotten as (
    delete from pombo.challenges where id in (
      select id from pombo.challenges where tenant = $2 and ends_at is null and created_at < $3
      order by created_at limit 4 for update skip locked
    ) returning id
  ), unnamed as (
    delete from pombo.newest_challenges where tenant = $2 and challenge in (select id from forgotten)
  )
  update pombo.challenges set ends_at = null where id = $1 and tenant = $2
`

export const postgresChallenges = (db: Database): Challenges => ({
  async begin({ id, tenantId, accountId, createdAt, hash = null, subject = null, ...said }) {
    const { maxAttempts, expiresAt } = said
    const values = [id, tenantId, accountId, maxAttempts, createdAt, expiresAt, hash, subject, toChallengeTerms(said)]
    const [row] = await db.asTenant(tenantId, BEGIN, values)
    return (row?.['hash'] ?? null) === hash
  },

  async arm({ id, tenantId }, { hash, maxAttempts, expiresAt, ...said }) {
    await db.asTenant(tenantId, ARM, [id, tenantId, hash, maxAttempts, expiresAt, toChallengeTerms(said)])
  },

  find: async (ref) => {
    const { tenantId } = ref
    if ('id' in ref) return first(await db.asTenant(tenantId, FIND, [ref.id, tenantId]))
    return first(await db.asTenant(tenantId, FIND_NEWEST, [tenantId, ref.subject]))
  },
  claim: async ({ id, tenantId }, at) => first(await db.asTenant(tenantId, CLAIM, [id, tenantId, at])),
  conclude: async ({ id, tenantId }, as, at) =>
    (await db.asTenant(tenantId, CONCLUDE[as], [id, tenantId, at])).length === 1,

  ended: async (at, limit) =>
    (await db.asSystem(ENDED, [at, limit])).map(({ id, tenant }) => ({
      id: String(id) as MessageId,
      tenantId: String(tenant) as TenantId,
    })),

  async clear({ id, tenantId }, forgetBefore) {
    await db.asTenant(tenantId, CLEAR, [id, tenantId, forgetBefore])
  },
})

const first = ([row]: Rows): Challenge | undefined => row && toChallenge(row)
