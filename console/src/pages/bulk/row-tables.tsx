/** How many rows can be sent, the first of them, and those with a problem. */
import { useState } from 'react'
import { BULK_TEXTS } from '../../texts/bulk.ts'
import { COMMON_TEXTS } from '../../texts/common.ts'
import { Badge, Button, Card } from '../../ui/parts.tsx'
import { Table } from '../../ui/table.tsx'
import type { Checked } from './check-rows.ts'
import type { Row } from './rows.ts'

const T = BULK_TEXTS
const [MOST_FIRST, PAGE_OF_BAD] = [5, 100]

export const RowCounts = ({ checked: { ready, bad, duplicates } }: Readonly<{ checked: Checked }>) => (
  <dl className="bulk-counts" aria-label={T.rows}>
    <Count name={T.ready} of={ready} tone="good" />
    <Count name={T.bad} of={bad} tone={bad.length === 0 ? '' : 'bad'} />
    <Count name={T.warned} of={duplicates} tone={duplicates.length === 0 ? '' : 'warn'} />
  </dl>
)

const Count = ({ name, of: rows, tone }: Readonly<{ name: string; of: readonly Row[]; tone: string }>) => (
  <div className={`card ${tone}`}>
    <dt>{name}</dt>
    <dd className="nums">{rows.length.toLocaleString()}</dd>
  </div>
)

export function FirstRows({ rows }: Readonly<{ rows: readonly Row[] }>) {
  const [line, to, content, details] = T.firstHead
  return (
    <Card title={T.first}>
      <Table columns={T.firstHead}>
        {rows.slice(0, MOST_FIRST).map((row) => (
          <tr key={row.line}>
            <td data-label={line} className="nums">
              {row.line}
            </td>
            <td data-label={to} className="nums">
              {row.to}
            </td>
            <td data-label={content}>{toContent(row)}</td>
            <td data-label={details} className="soft">
              {toDetails(row)}
            </td>
          </tr>
        ))}
      </Table>
    </Card>
  )
}

const MOST_CHARACTERS = 160

function toContent({ item = {} }: Row): string {
  const { message, subject, template } = item as Readonly<{
    message?: string
    subject?: string
    template?: Readonly<{ name: string; data?: object }>
  }>
  const data = Object.entries(template?.data ?? {}).map(([name, value]) => `${name}: ${toText(value)}`)
  return (message ?? subject ?? [template?.name ?? '', ...data].join(' · ')).slice(0, MOST_CHARACTERS)
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

function toDetails({ item = {}, parts, sender }: Row): string {
  const { tags = [], metadata = {} } = item as Readonly<{ tags?: readonly string[]; metadata?: Record<string, string> }>
  const words = [
    parts === undefined ? '' : COMMON_TEXTS.parts(parts),
    sender,
    tags.join(', '),
    ...Object.entries(metadata).map(([key, value]) => `${key}=${value}`),
  ]
  return words.filter((word) => word !== '').join(' · ')
}

type BadProps = Readonly<{ bad: readonly Row[]; duplicates: readonly Row[] }>

/** Warnings are listed, too, but their rows are sent. */
export function BadRows({ bad, duplicates }: BadProps) {
  const [line, to, problem] = T.problemHead
  const [shown, setShown] = useState(PAGE_OF_BAD)
  const all = [...bad, ...duplicates].toSorted((a, b) => a.line - b.line)
  return (
    <Card title={T.problems}>
      <p className="soft bulk-about">{T.problemsAbout}</p>
      <Table columns={T.problemHead} className="bulk-bad">
        {all.slice(0, shown).map((row) => (
          <tr key={row.line}>
            <td data-label={line} className="nums">
              {row.line}
            </td>
            <td data-label={to} className="nums">
              {row.to}
            </td>
            <td data-label={problem}>
              <span>
                <Badge tone={row.item === undefined ? 'bad' : 'warn'}>
                  {row.item === undefined ? T.bad : T.warned}
                </Badge>{' '}
                {row.duplicateOf === undefined ? row.problems.join(' ') : T.rowProblems.duplicate(row.duplicateOf)}
              </span>
            </td>
          </tr>
        ))}
      </Table>
      {all.length > shown && (
        <div className="row bulk-more">
          <Button onClick={() => setShown(shown + 10 * PAGE_OF_BAD)}>{COMMON_TEXTS.more}</Button>
          <span className="soft">{T.moreProblems((all.length - shown).toLocaleString())}</span>
        </div>
      )}
    </Card>
  )
}
