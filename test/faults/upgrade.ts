/**
 * Rolls a release with a new schema out and back: migrations run under load, old processes are killed and restart on
 * the new schema, both releases run concurrently, and finally the old release runs alone on the new schema.
 */
import type { Member } from '../support/cluster.ts'
import { type Ended, runPombo } from '../support/command.ts'
import { searchAll } from '../support/index-dump.ts'
import { openRelease } from '../support/release.ts'
import { type Fault, type Scene, underLoad } from './fault.ts'
import { oneOfEach, roll } from './rolling.ts'

/** New columns of the largest table, and a new table. */
const EXPAND = `
  alter table pombo.messages add column later text, add column weight bigint not null default 0;
  create table pombo.later (id uuid primary key, note text);
  grant select, insert on pombo.later to pombo_system;
`
const BUILD_INDEX = `-- transaction: none
create index concurrently if not exists messages_later on pombo.messages (tenant, weight, created_at, id)`

export const upgrade: Fault = {
  name: 'upgrade',
  promise: 'a release with a new schema is rolled out and back, no message is lost and none is sent twice',
  usual: { kills: 5, seconds: 0 },
  brief: { kills: 3, seconds: 0 },
  async inject(scene) {
    const { site, load, plan, note } = scene
    const members = oneOfEach(scene).slice(0, plan.kills)
    await using next = await openRelease(EXPAND, BUILD_INDEX)
    const began = performance.now()
    const problems = [...problemsOf('the new release', await next.migrate(site.cluster.settings), next.schema)]
    note('migrating, ms', performance.now() - began)
    await underLoad(load, plan.rate / 2)

    await Promise.all(members.slice(0, 3).map(restart))
    plan.onProgress('the killed processes have restarted on the new schema')
    await underLoad(load, plan.rate)
    problems.push(...(await roll(scene, members, next.main)))
    await underLoad(load, plan.rate)
    const again = await runPombo(['migrate', '--json'], site.cluster.settings)
    problems.push(...problemsOf('the old release', again, next.schema))
    problems.push(...(await roll(scene, members)))
    return problems
  },
  afterwards: problemsOfSearch,
}

async function restart(member: Member): Promise<void> {
  await member.kill('SIGKILL')
  await member.start()
}

/** A migration by either release must leave the new schema. */
function problemsOf(who: string, { code, out, err }: Ended, schema: number): readonly string[] {
  if (code !== 0) return [`${who} could not migrate: ${err}`]
  const { to } = JSON.parse(out) as { to: number }
  return to === schema ? [] : [`${who} left schema ${to} and not ${schema}`]
}

/** Search must find every message exactly once. */
async function problemsOfSearch({ site: { apis }, load: { accepted } }: Scene): Promise<readonly string[]> {
  const first = Math.min(...accepted.map(({ firstTriedAt }) => firstTriedAt))
  const found = await searchAll(apis[0], { created_from: new Date(first - 1_000).toISOString() })
  const ids = found.map(({ id }) => id)
  const unique = new Set(ids)
  return [
    ...accepted.filter(({ id }) => !unique.has(id)).map(({ id }) => `${id} is not found by search`),
    ...(unique.size === ids.length
      ? []
      : [`search finds ${ids.length} messages, of which ${unique.size} are distinct`]),
  ]
}
