/** The attempts of an endpoint, or those of one of its deliveries, newest first. */
import { useState } from 'react'
import { Link } from 'wouter'
import { api, unwrap } from '../../api/client.ts'
import { COMMON_TEXTS } from '../../texts/common.ts'
import { WEBHOOKS_TEXTS } from '../../texts/webhooks.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { toLatency } from '../../ui/latency.ts'
import { Listing, useListing } from '../../ui/listing.tsx'
import { Button, Empty } from '../../ui/parts.tsx'
import { RowActions, Table } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import type { WebhookAttempt } from './attempt.ts'
import { AttemptDialog, AttemptResult } from './attempt-details.tsx'
import { type Subject, subjectIdOf } from './endpoint.ts'

const T = WEBHOOKS_TEXTS.attempts
const { actions: ACTIONS, ...COLUMNS } = T.columns
const REFRESH_MS = 3_000

/** Without a subject, those of the whole endpoint. */
type ListProps = Readonly<{ endpoint: string; subject?: Subject }>

export function AttemptList({ endpoint, subject }: ListProps) {
  const [shown, setShown] = useState<WebhookAttempt>()
  const where = subject === undefined ? {} : toQuery(subject)
  const list = useListing(
    ['endpoints', endpoint, 'attempts', where],
    (from) =>
      unwrap(
        api.GET('/v1/endpoints/{id}/attempts', {
          params: { path: { id: endpoint }, query: { limit: 50, ...where, ...from } },
        }),
      ),
    REFRESH_MS,
  )
  return (
    <>
      <Listing of={list} empty={<Empty>{T.none}</Empty>}>
        {(attempts) => (
          <Table columns={Object.values(COLUMNS)} actions={ACTIONS}>
            {attempts.map((attempt) => (
              <Row key={attempt.id} attempt={attempt} onShow={setShown} />
            ))}
          </Table>
        )}
      </Listing>
      {shown !== undefined && <AttemptDialog attempt={shown} onClose={() => setShown(undefined)} />}
    </>
  )
}

const toQuery = (subject: Subject) =>
  subject.message_id === null ? { alert_id: subjectIdOf(subject) } : { message_id: subject.message_id }

const Row = ({ attempt, onShow }: Readonly<{ attempt: WebhookAttempt; onShow: (attempt: WebhookAttempt) => void }>) => (
  <tr>
    <td data-label={COLUMNS.result}>
      <AttemptResult attempt={attempt} />
    </td>
    <td data-label={COLUMNS.event}>
      <code>{attempt.event_type}</code>
    </td>
    <td data-label={COLUMNS.message}>
      {attempt.message_id !== null && (
        <Link href={`/messages/${attempt.message_id}`} className="mono">
          {attempt.message_id.slice(0, 8)}
        </Link>
      )}
    </td>
    <td data-label={COLUMNS.duration} className="nums">
      {toLatency(attempt.duration_ms)}
    </td>
    <td data-label={COLUMNS.at}>
      <Ago at={attempt.attempted_at} />
    </td>
    <RowActions>
      <Button aria-label={T.inspectOf(attempt.event_type, attempt.attempted_at)} onClick={() => onShow(attempt)}>
        {T.inspect}
      </Button>
    </RowActions>
  </tr>
)

type DialogProps = Readonly<{ endpoint: string; subject: Subject; onClose: () => void }>

export const DeliveryAttempts = ({ endpoint, subject, onClose }: DialogProps) => (
  <Dialog title={T.of(subject.message_id?.slice(0, 8) ?? subjectIdOf(subject))} size="wide" onClose={onClose}>
    <AttemptList endpoint={endpoint} subject={subject} />
    <div className="dialog-foot">
      <Button onClick={onClose}>{COMMON_TEXTS.close}</Button>
    </div>
  </Dialog>
)
