/** How one stands: the limit of its own, or what is set for each. What is looked up is not kept anywhere. */
import { type FormEvent, useState } from 'react'
import { isMissing } from '../../api/client.ts'
import { useSession } from '../../api/session.ts'
import { TEXTS } from '../../texts.ts'
import { Button, Card, Failure, Loading } from '../../ui/parts.tsx'
import { problemOf } from '../../ui/problems.tsx'
import { EACH, type Key, type Limit, useLimit } from './data.ts'
import { KeyFields } from './key-fields.tsx'
import { LimitMeter } from './limit-meter.tsx'
import { ruleOf, whoOf } from './limit-words.ts'

const T = TEXTS.limits.lookup

export function LimitLookup() {
  const tenant = useSession()?.tenantId ?? ''
  const [written, setWritten] = useState<Key>({ scope: 'recipient', key: '' })
  const [asked, setAsked] = useState<Key>()
  const { data, error, isLoading } = useLimit(asked)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    setAsked(written.scope === 'tenant' ? { scope: 'tenant', key: tenant } : { ...written, key: written.key.trim() })
  }
  const isNone = isMissing(error)
  const problem = problemOf(error, '/key')
  return (
    <Card title={T.title}>
      <form className="filters lookup" onSubmit={submit}>
        <KeyFields value={written} mayBeEach={false} problem={problem} onChange={setWritten} />
        <Button type="submit">{T.action}</Button>
      </form>
      {isLoading && <Loading />}
      {data !== undefined && error === null && <Standing limit={data} />}
      {asked !== undefined && isNone && <NoneOfItsOwn asked={asked} />}
      {error !== null && !isNone && problem === undefined && <Failure error={error} />}
    </Card>
  )
}

const Standing = ({ limit }: Readonly<{ limit: Limit }>) => (
  <div className="found" role="status">
    <p>
      <strong>{whoOf(limit)}</strong> <span className="soft">{ruleOf(limit)}</span>
    </p>
    <LimitMeter limit={limit} />
  </div>
)

function NoneOfItsOwn({ asked: { scope } }: Readonly<{ asked: Key }>) {
  const { data, error } = useLimit(scope === 'tenant' ? undefined : { scope, key: EACH })
  const each = data !== undefined && error === null ? ruleOf(data) : undefined
  return <p role="status">{each === undefined ? T.none : T.each(each)}</p>
}
