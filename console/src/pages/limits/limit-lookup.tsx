/**
 * Looks up the limit and usage of one tenant, account, recipient or user. Falls back to the default limit of its scope.
 */
import { type FormEvent, useState } from 'react'
import { isNotFound } from '../../api/client.ts'
import { useSession } from '../../api/session.ts'
import { LIMITS_TEXTS } from '../../texts/limits.ts'
import { Button, Card, Failure, Loading } from '../../ui/parts.tsx'
import { problemOf } from '../../ui/problems.tsx'
import { EACH, type Key, type Limit, useLimit } from './data.ts'
import { KeyFields } from './key-fields.tsx'
import { LimitMeter } from './limit-meter.tsx'
import { ruleOf, whoOf } from './limit-text.ts'

const T = LIMITS_TEXTS.lookup

export function LimitLookup() {
  const tenant = useSession()?.tenantId ?? ''
  const [draft, setDraft] = useState<Key>({ scope: 'recipient', key: '' })
  const [lookedUp, setLookedUp] = useState<Key>()
  const { data, error, isLoading } = useLimit(lookedUp)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    setLookedUp(draft.scope === 'tenant' ? { scope: 'tenant', key: tenant } : { ...draft, key: draft.key.trim() })
  }
  const isNone = isNotFound(error)
  const problem = problemOf(error, '/key')
  return (
    <Card title={T.title}>
      <form className="filters lookup" onSubmit={submit}>
        <KeyFields value={draft} allowEach={false} problem={problem} onChange={setDraft} />
        <Button type="submit">{T.action}</Button>
      </form>
      {isLoading && <Loading />}
      {data !== undefined && error === null && <LimitUsage limit={data} />}
      {lookedUp !== undefined && isNone && <DefaultLimit lookup={lookedUp} />}
      {error !== null && !isNone && problem === undefined && <Failure error={error} />}
    </Card>
  )
}

const LimitUsage = ({ limit }: Readonly<{ limit: Limit }>) => (
  <div className="found" role="status">
    <p>
      <strong>{whoOf(limit)}</strong> <span className="soft">{ruleOf(limit)}</span>
    </p>
    <LimitMeter limit={limit} />
  </div>
)

function DefaultLimit({ lookup: { scope } }: Readonly<{ lookup: Key }>) {
  const { data, error } = useLimit(scope === 'tenant' ? undefined : { scope, key: EACH })
  const each = data !== undefined && error === null ? ruleOf(data) : undefined
  return <p role="status">{each === undefined ? T.none : T.each(each)}</p>
}
