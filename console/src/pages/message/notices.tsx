/** Who is told of what becomes of a message: its endpoints, and its own callback. */
import { TEXTS } from '../../texts.ts'
import { Items } from '../../ui/items.tsx'
import { Badge, Card } from '../../ui/parts.tsx'
import { Ago } from '../../ui/time.tsx'
import { NOTICE_TONES, standingOf } from '../webhooks/endpoint.ts'
import { useNotices } from './data.ts'
import { Due } from './due.tsx'

const T = TEXTS.message.notices

type Notice = NonNullable<ReturnType<typeof useNotices>['data']>['items'][number]

export function Notices({ id }: Readonly<{ id: string }>) {
  const { data, error } = useNotices(id)
  return (
    <Card title={T.title}>
      <Items of={data?.items} error={error} empty={<p className="soft">{T.none}</p>}>
        {(notices) => (
          <ul className="notices">
            {notices.map((notice) => (
              <NoticeRow key={notice.endpoint_id} notice={notice} />
            ))}
          </ul>
        )}
      </Items>
    </Card>
  )
}

const NoticeRow = ({ notice }: Readonly<{ notice: Notice }>) => (
  <li>
    <strong>{notice.endpoint_id === 'callback' ? T.callback : notice.endpoint_id}</strong>
    <Badge tone={NOTICE_TONES[standingOf(notice)]}>{T.states[standingOf(notice)]}</Badge>
    {notice.failures > 0 && <span className="nums">{T.failures(notice.failures)}</span>}
    <span className="soft">
      {notice.last_status ?? ''} {notice.last_error ?? ''}{' '}
      {notice.tried_at !== null && (
        <>
          (<Ago at={notice.tried_at} /> {TEXTS.message.age})
        </>
      )}{' '}
      {notice.due_at !== null && <Due at={notice.due_at} toWords={TEXTS.message.notes.toldIn} />}
    </span>
  </li>
)
