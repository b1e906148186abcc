/** What each column contains, beside its first value. */
import { BULK_TEXTS } from '../../texts/bulk.ts'
import { Select } from '../../ui/select.tsx'
import { Table } from '../../ui/table.tsx'
import { type Mapping, nameOf, targetsOf } from './mapping.ts'
import type { ReadFile } from './read-file.ts'
import type { Plan } from './rows.ts'

const T = BULK_TEXTS

type MappingProps = Readonly<{ file: ReadFile; plan: Plan; onChange: (mapping: Mapping) => void }>

export function MappingTable({ file, plan: { mapping, form }, onChange }: MappingProps) {
  const targets = targetsOf(form)
  const [column, value, contains] = T.columnHead
  return (
    <Table columns={T.columnHead} className="bulk-columns">
      {file.header.map((name, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a column is known by its place
        <tr key={at}>
          <td data-label={column}>
            <strong>{name === '' ? T.unnamed(at + 1) : name}</strong>
          </td>
          <td data-label={value} className="soft">
            {(file.records[0]?.cells[at] ?? '').slice(0, 80)}
          </td>
          <td data-label={contains}>
            <Select
              label={`${contains}: ${name === '' ? T.unnamed(at + 1) : name}`}
              isLabelHidden
              value={mapping[at] ?? 'ignore'}
              of={targets}
              nameOf={nameOf}
              onChange={(target) => onChange(mapping.with(at, target))}
            />
          </td>
        </tr>
      ))}
    </Table>
  )
}
