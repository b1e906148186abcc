/** The sums of a period by a dimension, and their total. */
import { USAGE_TEXTS } from '../../texts/usage.ts'
import { sum, toCount } from '../../ui/numbers.ts'
import { Table } from '../../ui/table.tsx'
import type { UsageItem } from './data.ts'
import { type Dimension, METRICS, nameOf } from './measure.ts'

const T = USAGE_TEXTS

type TableProps = Readonly<{ sums: readonly UsageItem[]; by: Dimension }>

/** The largest first. */
export function UsageTable({ sums, by }: TableProps) {
  const rows = sums
    .map((item) => ({ name: nameOf(item, by), counts: METRICS.map((metric) => item[metric]) }))
    .toSorted((one, other) => sum(other.counts) - sum(one.counts))
  const totals = METRICS.map((_, nth) => sum(rows.map(({ counts }) => counts[nth] ?? 0)))
  return (
    <Table className="usage" columns={[T.dimensions[by], ...METRICS.map((metric) => T.metrics[metric])]}>
      {rows.map(({ name, counts }) => (
        <Row key={name} name={name} counts={counts} />
      ))}
      <Row name={T.total} counts={totals} isTotal />
    </Table>
  )
}

type RowProps = Readonly<{ name: string; counts: readonly number[]; isTotal?: boolean }>

const Row = ({ name, counts, isTotal = false }: RowProps) => (
  <tr className={isTotal ? 'usage-total' : ''}>
    <td className="row-title">{name}</td>
    {METRICS.map((metric, nth) => (
      <td key={metric} data-label={T.metrics[metric]} className="nums">
        {toCount(counts[nth] ?? 0)}
      </td>
    ))}
  </tr>
)
