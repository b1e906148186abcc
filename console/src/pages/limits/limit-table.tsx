/** The limits in a table: for whom, how many in which time, and how far each is used up. */
import '../../styles/stacked.css'
import { TEXTS } from '../../texts.ts'
import { Button } from '../../ui/parts.tsx'
import { Ago } from '../../ui/time.tsx'
import { EACH, type Limit } from './data.ts'
import { LimitMeter } from './limit-meter.tsx'
import { ruleOf, whoOf } from './limit-words.ts'

const T = TEXTS.limits

type TableProps = Readonly<{
  limits: readonly Limit[]
  mayChange: boolean
  onChange: (limit: Limit) => void
  onRemove: (limit: Limit) => void
}>

export const LimitTable = ({ limits, ...rest }: TableProps) => (
  <div className="table-wrap">
    <table className="table stacked limits">
      <thead>
        <tr>
          <th>{T.columns.who}</th>
          <th>{T.columns.rule}</th>
          <th>{T.columns.standing}</th>
          <th>{T.columns.changed}</th>
          {rest.mayChange && (
            <th>
              <span className="visually-hidden">{T.columns.actions}</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {limits.map((limit, place) => (
          // Two recipients may look the same once they are masked.
          // biome-ignore lint/suspicious/noArrayIndexKey: the place tells them apart
          <LimitRow key={`${limit.scope} ${limit.key} ${place}`} limit={limit} {...rest} />
        ))}
      </tbody>
    </table>
  </div>
)

type RowProps = Omit<TableProps, 'limits'> & Readonly<{ limit: Limit }>

function LimitRow({ limit, mayChange, onChange, onRemove }: RowProps) {
  const who = whoOf(limit)
  return (
    <tr>
      <td className="row-title">
        <span>
          <strong>{who}</strong> {limit.key === EACH && <span className="soft">{T.eachHint}</span>}
        </span>
      </td>
      <td data-label={T.columns.rule}>{ruleOf(limit)}</td>
      <td data-label={T.columns.standing}>
        <LimitMeter limit={limit} />
      </td>
      <td data-label={T.columns.changed}>
        <Ago at={limit.updated_at} />
      </td>
      {mayChange && (
        <td className="row-end">
          <div className="row-actions">
            <Button aria-label={T.changeOne(who)} onClick={() => onChange(limit)}>
              {T.change}
            </Button>
            <Button kind="danger" aria-label={T.removeOne(who)} onClick={() => onRemove(limit)}>
              {TEXTS.common.remove}
            </Button>
          </div>
        </td>
      )}
    </tr>
  )
}
