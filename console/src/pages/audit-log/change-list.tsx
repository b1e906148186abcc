/** The fields before and after; only those that changed, unless all are wanted. */
import { useState } from 'react'
import { AUDIT_LOG_TEXTS } from '../../texts/audit-log.ts'
import { Button } from '../../ui/parts.tsx'
import { type Change, fieldsOf, isChanged, type Snapshot } from './changes.ts'

const T = AUDIT_LOG_TEXTS.changes

type ChangesProps = Readonly<{ before: Snapshot | null; after: Snapshot | null }>

export function ChangeList({ before, after }: ChangesProps) {
  const [showsAll, setShowsAll] = useState(false)
  if (before === null && after === null) return <p className="soft">{T.none}</p>
  const fields = fieldsOf(before, after)
  const changed = fields.filter(isChanged)
  const unchanged = fields.length - changed.length
  return (
    <div className="stack changes">
      <Changes fields={showsAll ? fields : changed} hasBefore={before !== null} hasAfter={after !== null} />
      {unchanged > 0 && (
        <div>
          <Button aria-pressed={showsAll} onClick={() => setShowsAll(!showsAll)}>
            {showsAll ? T.hideUnchanged : T.showUnchanged(unchanged)}
          </Button>
        </div>
      )}
    </div>
  )
}

type TableProps = Readonly<{ fields: readonly Change[]; hasBefore: boolean; hasAfter: boolean }>

const Changes = ({ fields, hasBefore, hasAfter }: TableProps) => (
  <table>
    <thead>
      <tr>
        <th scope="col">{T.field}</th>
        {hasBefore && <th scope="col">{T.before}</th>}
        {hasAfter && <th scope="col">{T.after}</th>}
      </tr>
    </thead>
    <tbody>
      {fields.map((field) => (
        <tr key={field.field}>
          <th scope="row">{field.field}</th>
          {hasBefore && (
            <td data-label={T.before}>
              <Value of={field.before} as={isChanged(field) ? 'del' : 'span'} />
            </td>
          )}
          {hasAfter && (
            <td data-label={T.after}>
              <Value of={field.after} as={isChanged(field) ? 'ins' : 'span'} />
            </td>
          )}
        </tr>
      ))}
    </tbody>
  </table>
)

type ValueProps = Readonly<{ of: string | undefined; as: 'del' | 'ins' | 'span' }>

const Value = ({ of: value, as: Element }: ValueProps) =>
  value === undefined ? <span className="soft">{T.empty}</span> : <Element>{value}</Element>
