/** Asks before a file is sent: how many messages and parts, and through which providers. */
import { useQuery } from '@tanstack/react-query'
import { api, unwrap } from '../../api/client.ts'
import { fetchProviders } from '../../api/providers.ts'
import { hasScope, useSession } from '../../api/session.ts'
import { BULK_TEXTS } from '../../texts/bulk.ts'
import { COMMON_TEXTS } from '../../texts/common.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { sum } from '../../ui/numbers.ts'
import { toRouteSender, toRouting } from '../send/routing.ts'
import type { Checked } from './check-rows.ts'
import type { NamedFile } from './read-file.ts'
import { groupRows, type RouteGroup, toWays, type Way } from './routes-of.ts'
import { type Plan, type Row, toBatchId, toKey } from './rows.ts'
import { startRun } from './store.ts'

const T = BULK_TEXTS.confirm

type ConfirmProps = Readonly<{ file: NamedFile; plan: Plan; checked: Checked; name: string; onClose: () => void }>

export function ConfirmBulk({ file, plan, checked, name, onClose }: ConfirmProps) {
  const { rows, ready, bad, duplicates } = checked
  const ways = useWays(ready, plan)
  const count = ready.length.toLocaleString()
  const confirm = (): void => {
    const items = ready.map(({ line, item }) => ({
      line,
      body: { ...item, idempotency_key: toKey(name, file.hash, line) },
    }))
    const id = `${toKey(name, file.hash, 0)}-${Date.now()}`
    startRun({ id, batchId: toBatchId(name, file.hash), fileName: file.name, rows, items })
  }
  return (
    <Confirm title={T.title(count)} action={T.action} busy={ways === undefined} onConfirm={confirm} onClose={onClose}>
      <div className="stack">
        <p>{summaryOf(ready, plan)}</p>
        {ways === undefined ? (
          <p className="soft" role="status">
            {T.routing}
          </p>
        ) : (
          <Ways ways={ways} />
        )}
        {bad.length > 0 && <p className="soft">{T.bad(bad.length.toLocaleString())}</p>}
        {duplicates.length > 0 && <p className="note warn">{T.warned(duplicates.length.toLocaleString())}</p>}
      </div>
    </Confirm>
  )
}

function summaryOf(ready: readonly Row[], { form }: Plan): string {
  const count = ready.length.toLocaleString()
  if (form.channel === 'email') return T.email(count)
  if (form.template !== undefined) return T.smsRendered(count)
  return T.sms(count, COMMON_TEXTS.parts(sum(ready.map(({ parts = 0 }) => parts))))
}

function Ways({ ways }: Readonly<{ ways: readonly Way[] }>) {
  const isSimulated = ways.every((way) => way.isSimulated)
  return (
    <>
      <p className={isSimulated ? 'note' : 'note warn'}>{isSimulated ? T.simulated : T.real}</p>
      <div>
        <h3>{T.through}</h3>
        <ul className="bulk-ways">
          {ways.map((way) => (
            <li key={`${way.kind} ${way.providers.join()}`}>
              <strong>
                {way.providers.length === 0 ? T[way.kind === 'none' ? 'none' : 'unknown'] : way.providers[0]}
              </strong>
              {way.providers.length > 1 && <span className="soft">{T.others(way.providers.slice(1).join(', '))}</span>}
              {way.isSimulated && <span className="tag">{T.simulator}</span>}
              {way.kind === 'waiting' && <span className="soft">{T.waiting}</span>}
              <span className="bulk-way-count nums">{T.messages(way.count.toLocaleString())}</span>
            </li>
          ))}
        </ul>
      </div>
    </>
  )
}

/** Undefined while it is being found out. */
function useWays(ready: readonly Row[], plan: Plan): readonly Way[] | undefined {
  const mayRead = hasScope(useSession(), 'messages:read')
  const { data, error } = useQuery({
    queryKey: ['bulk', 'ways', plan],
    queryFn: () => fetchWays(ready, plan),
    enabled: mayRead,
    staleTime: 0,
    gcTime: 0,
    retry: 1,
  })
  if (!mayRead || error !== null) return toWays([{ routing: { kind: 'unknown' }, count: ready.length }])
  return data
}

/** More groups are not asked about: so many senders and prefixes are rare. */
const MOST_ASKED = 40

async function fetchWays(ready: readonly Row[], { form: { channel } }: Plan): Promise<readonly Way[]> {
  const [routes, providers] = await Promise.all([unwrap(api.GET('/v1/routes')), fetchProviders()])
  const prefixes = routes.items.flatMap(({ prefix }) => (prefix === null ? [] : [prefix]))
  const groups = groupRows(ready, channel, [...new Set(prefixes)])
  const simulators = new Set(providers.items.filter(({ simulated }) => simulated).map(({ name }) => name))
  const asked = groups.toSorted((a, b) => b.count - a.count).slice(0, MOST_ASKED)
  const routings = await Promise.all(
    asked.map(async (group) => ({
      count: group.count,
      routing: toRouting(await resolve(group, channel), simulators),
    })),
  )
  const others = ready.length - sum(asked.map(({ count }) => count))
  return toWays(others === 0 ? routings : [...routings, { routing: { kind: 'unknown' }, count: others }])
}

const resolve = ({ to, sender }: RouteGroup, channel: Plan['form']['channel']) =>
  unwrap(
    api.POST('/v1/routes/resolve', {
      body: { to, channel, ...(sender === '' ? {} : { sender_id: toRouteSender(sender) }) },
    }),
  )
