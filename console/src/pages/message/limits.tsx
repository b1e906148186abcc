/** The limits that apply to this message now. Recipients are masked, so limits of single recipients are left out. */
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { api, unwrap } from '../../api/client.ts'
import { COMMON_TEXTS } from '../../texts/common.ts'
import { MESSAGE_TEXTS } from '../../texts/message.ts'
import { EACH, type Limit } from '../limits/data.ts'
import { ruleOf, whoOf } from '../limits/limit-text.ts'

const T = MESSAGE_TEXTS.decisions

export function Limits({ account }: Readonly<{ account: string }>) {
  const { data } = useQuery({
    queryKey: ['limits', 'all'],
    queryFn: () => unwrap(api.GET('/v1/limits', { params: { query: { limit: 200 } } })),
  })
  const counting = data?.items.filter((limit) => isCounting(limit, account)) ?? []
  if (counting.length === 0) return <span className="soft">{COMMON_TEXTS.none}</span>
  return (
    <>
      <ul className="limits-counting">
        {counting.map((limit) => (
          <li key={`${limit.scope} ${limit.key}`}>
            {whoOf(limit)}: {ruleOf(limit)}
          </li>
        ))}
      </ul>
      <Link href="/limits">{T.limitsNow}</Link>
    </>
  )
}

const isCounting = ({ scope, key }: Limit, account: string): boolean =>
  scope === 'tenant' || key === EACH || (scope === 'account' && key === account)
