/** The table of rate limits and their usage. */
import { COMMON_TEXTS } from '../../texts/common.ts'
import { LIMITS_TEXTS } from '../../texts/limits.ts'
import { Button } from '../../ui/parts.tsx'
import { RowActions, Table } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { EACH, type Limit } from './data.ts'
import { LimitMeter } from './limit-meter.tsx'
import { ruleOf, whoOf } from './limit-text.ts'

const T = LIMITS_TEXTS
const { actions: ACTIONS, ...COLUMNS } = T.columns

type TableProps = Readonly<{
  limits: readonly Limit[]
  mayChange: boolean
  onChange: (limit: Limit) => void
  onRemove: (limit: Limit) => void
}>

export const LimitTable = ({ limits, ...rest }: TableProps) => (
  <Table className="limits" columns={Object.values(COLUMNS)} actions={rest.mayChange ? ACTIONS : undefined}>
    {limits.map((limit, place) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: two recipients may look the same once they are masked
      <LimitRow key={`${limit.scope} ${limit.key} ${place}`} limit={limit} {...rest} />
    ))}
  </Table>
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
      <td data-label={COLUMNS.rule}>{ruleOf(limit)}</td>
      <td data-label={COLUMNS.usage}>
        <LimitMeter limit={limit} />
      </td>
      <td data-label={COLUMNS.changed}>
        <Ago at={limit.updated_at} />
      </td>
      {mayChange && (
        <RowActions>
          <Button aria-label={T.changeOne(who)} onClick={() => onChange(limit)}>
            {COMMON_TEXTS.edit}
          </Button>
          <Button kind="danger" aria-label={T.removeOne(who)} onClick={() => onRemove(limit)}>
            {COMMON_TEXTS.remove}
          </Button>
        </RowActions>
      )}
    </tr>
  )
}
