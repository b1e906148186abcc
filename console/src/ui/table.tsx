/** A table whose rows become cards on narrow screens; each cell is then labelled by its `data-label`. */
import '../styles/stacked.css'
import type { PropsWithChildren } from 'react'

type TableProps = PropsWithChildren<{
  columns: readonly string[]
  /** The name of the actions column; undefined if there is none. */
  actions?: string | undefined
  className?: string
}>

export const Table = ({ columns, actions, className = '', children }: TableProps) => (
  <div className="table-wrap">
    <table className={`table stacked ${className}`}>
      <thead>
        <tr>
          {columns.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
          {actions !== undefined && (
            <th scope="col">
              <span className="visually-hidden">{actions}</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </div>
)

/** The actions cell of a row. */
export const RowActions = ({ children }: PropsWithChildren) => (
  <td className="row-end">
    <div className="row-actions">{children}</div>
  </td>
)
