/** How much of its quotas a tenant uses. */
import '../../styles/limits.css'
import { useQuery } from '@tanstack/react-query'
import type { CSSProperties } from 'react'
import { api, unwrap } from '../../api/client.ts'
import { COMMON_TEXTS } from '../../texts/common.ts'
import { TENANTS_TEXTS } from '../../texts/tenants.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Items } from '../../ui/items.tsx'
import { toCount } from '../../ui/numbers.ts'
import { Button, Empty } from '../../ui/parts.tsx'
import { type QuotaUse, TENANTS } from './tenant.ts'

const T = TENANTS_TEXTS
const NEARLY = 0.8

export function QuotaUsage({ id, onClose }: Readonly<{ id: string; onClose: () => void }>) {
  const { data, error } = useQuery({
    queryKey: [...TENANTS, 'usage', id],
    queryFn: () => unwrap(api.GET('/v1/tenants/{id}/usage', { params: { path: { id } } })),
  })
  return (
    <Dialog title={T.usageOf(id)} onClose={onClose}>
      <Items of={data?.items} error={error} empty={<Empty>{COMMON_TEXTS.none}</Empty>}>
        {(items) => (
          <dl className="facts quota-use">
            {items.map((item) => (
              <QuotaMeter key={item.quota} item={item} />
            ))}
          </dl>
        )}
      </Items>
      <div className="dialog-foot">
        <Button onClick={onClose}>{COMMON_TEXTS.close}</Button>
      </div>
    </Dialog>
  )
}

function QuotaMeter({ item: { quota, used, limit, ratio } }: Readonly<{ item: QuotaUse }>) {
  const name = T.quotaNames[quota]
  const share = Math.min(1, ratio ?? 0)
  const tone = share >= 1 ? 'bad' : share >= NEARLY ? 'warn' : 'good'
  return (
    <>
      <dt>{name}</dt>
      <dd className="limit-usage">
        <meter
          className={tone}
          style={{ '--share': `${100 * share}%` } as CSSProperties}
          aria-label={name}
          max={1}
          value={share}
        />
        <span className="nums">{limit === null ? T.unbounded(show(used)) : T.used(show(used), toCount(limit))}</span>
      </dd>
    </>
  )
}

const show = (used: number | null): string => (used === null ? T.unknown : toCount(used))
