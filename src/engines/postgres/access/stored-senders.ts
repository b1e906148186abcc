/** Which senders are restricted in the tables, for `pombo doctor`. */
import type { Database } from '../database.ts'

const STORED = `
  select (select count(*) from pombo.domains where verified_at is not null and not removed) as verified,
    array(select tenant from pombo.tenants where description::jsonb -> 'senders' is not null) as lists
`

/** The tenants with a list of senders, and how many domains are verified. */
export async function storedSenders(db: Database): Promise<Readonly<{ lists: readonly string[]; verified: number }>> {
  const [row] = await db.asSystem(STORED)
  return { lists: row?.['lists'] as readonly string[], verified: Number(row?.['verified']) }
}
