/** Everything that an entry says, and how to see more of its kind. */
import { AUDIT_LOG_TEXTS } from '../../texts/audit-log.ts'
import { Button, Facts } from '../../ui/parts.tsx'
import { ChangeList } from './change-list.tsx'
import { type AuditEntry, actorKind, actorName, type Filters } from './entry.ts'

const T = AUDIT_LOG_TEXTS

/** Filters the log by what an entry says. */
export type Narrow = (filters: Pick<Filters, 'actor' | 'target'>) => void

type DetailsProps = Readonly<{ entry: AuditEntry; onNarrow: Narrow }>

export const EntryDetails = ({ entry, onNarrow }: DetailsProps) => {
  const { actor, target, address, http_request_id: requestId, before, after } = entry
  return (
    <div className="stack">
      <ChangeList before={before} after={after} />
      <Facts
        facts={[
          [T.facts.actor, `${actorKind(entry)}${actor.name === null ? '' : ` ${actor.name}`}`],
          [T.facts.actorId, actor.id && <code key="actor">{actor.id}</code>],
          [T.facts.actorTenant, actor.tenant_id],
          [T.facts.target, `${target.kind} ${target.id}`],
          [T.facts.address, address],
          [T.facts.request, <code key="request">{requestId}</code>],
        ]}
      />
      <div className="row">
        {actor.id !== null && (
          <Button onClick={() => onNarrow({ actor: actor.id ?? '' })}>{T.onlyActor(actorName(entry))}</Button>
        )}
        <Button onClick={() => onNarrow({ target: target.id })}>{T.onlyTarget(target.id)}</Button>
      </div>
    </div>
  )
}
