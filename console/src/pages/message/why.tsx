/** Why the message stands where it stands, what is next, and what can be done: as the gateway explains it. */
import { useQuery } from '@tanstack/react-query'
import { ChevronRight } from 'lucide-react'
import { api, unwrap } from '../../api/client.ts'
import type { components } from '../../api/schema.gen.d.ts'
import { WHY_TEXTS } from '../../texts/why.ts'
import { Failure } from '../../ui/parts.tsx'
import { useRemembered } from '../../ui/remembered.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { FullTime } from '../../ui/time.tsx'

type Explanation = components['schemas']['MessageExplanation']

const T = WHY_TEXTS
/** What holds now changes without an event of the message: a circuit breaker closes, a lane empties. */
const EXPLAINED_EVERY_MS = 5_000

/** Asked for only while it is open. */
export function Why({ id }: Readonly<{ id: string }>) {
  const [isOpen, setOpen] = useRemembered('pombo.message.why', false)
  return (
    <details className="card fold why" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <ChevronRight aria-hidden="true" />
        <h2>{T.title}</h2>
      </summary>
      {isOpen && <Explained id={id} />}
    </details>
  )
}

/** Refetched together with the message, because the key starts with the message's key. */
const useExplanation = (id: string) =>
  useQuery({
    queryKey: ['message', id, 'explanation'],
    queryFn: () => unwrap(api.GET('/v1/messages/{id}/explain', { params: { path: { id } } })),
    refetchInterval: ({ state: { data } }) => data?.next != null && EXPLAINED_EVERY_MS,
  })

function Explained({ id }: Readonly<{ id: string }>) {
  const { data, error } = useExplanation(id)
  if (data === undefined) return error === null ? <Skeleton height={108} /> : <Failure error={error} />
  return (
    <section>
      <p className="why-summary">{data.summary}</p>
      <ol className="why-reasons">
        {data.reasons.map(({ text, at }) => (
          <li key={`${at} ${text}`}>
            <span className="soft">{at === undefined ? T.now : <FullTime at={at} />}</span> {text}
          </li>
        ))}
      </ol>
      {data.next !== null && <Next next={data.next} />}
      {data.actions.length > 0 && <Actions actions={data.actions} />}
    </section>
  )
}

const Next = ({ next: { text, at } }: Readonly<{ next: NonNullable<Explanation['next']> }>) => (
  <>
    <h3>{T.next}</h3>
    <p>
      {at !== null && (
        <span className="soft">
          <FullTime at={at} />{' '}
        </span>
      )}
      {text}
    </p>
  </>
)

/** Only what they are: the buttons for them are in the head of the page, or on other pages. */
const Actions = ({ actions }: Pick<Explanation, 'actions'>) => (
  <>
    <h3>{T.actions}</h3>
    <ul className="why-actions">
      {actions.map(({ action, text, scope, allowed }) => (
        <li key={`${action} ${text}`}>
          {text} {!allowed && scope !== undefined && <span className="soft">{T.scope(scope)}</span>}
        </li>
      ))}
    </ul>
  </>
)
