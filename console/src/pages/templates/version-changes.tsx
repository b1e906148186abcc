/** What changed between two versions of a template. */
import '../../styles/forms.css'
import '../../styles/version-changes.css'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { COMMON_TEXTS } from '../../texts/common.ts'
import { TEMPLATES_TEXTS } from '../../texts/templates.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Button, Failure, Loading } from '../../ui/parts.tsx'
import { Select } from '../../ui/select.tsx'
import { type ChangedLine, changedLines } from './changed-lines.ts'
import { fetchVersion, type Template, type TemplateSummary } from './template.ts'

const T = TEMPLATES_TEXTS.changes

type ChangesProps = Readonly<{ versions: readonly TemplateSummary[]; shown: TemplateSummary; onClose: () => void }>

/** `shown` is compared with the version before it. */
export function VersionChanges({ versions, shown, onClose }: ChangesProps) {
  const numbers = versions.map(({ version }) => version)
  const [after, setAfter] = useState(shown.version)
  const [before, setBefore] = useState(numbers.find((version) => version < shown.version) ?? shown.version)
  const [older, newer] = [useVersion(shown, before), useVersion(shown, after)]
  const error = older.error ?? newer.error
  return (
    <Dialog title={T.title(shown.name)} size="wide" onClose={onClose}>
      <div className="stack">
        <div className="fields two">
          <Select label={T.before} value={before} of={numbers} nameOf={TEMPLATES_TEXTS.version} onChange={setBefore} />
          <Select label={T.after} value={after} of={numbers} nameOf={TEMPLATES_TEXTS.version} onChange={setAfter} />
        </div>
        {error !== null && <Failure error={error} />}
        {error === null && (older.data === undefined || newer.data === undefined) && <Loading />}
        {older.data !== undefined && newer.data !== undefined && <Parts before={older.data} after={newer.data} />}
      </div>
      <div className="dialog-foot">
        <Button onClick={onClose}>{COMMON_TEXTS.close}</Button>
      </div>
    </Dialog>
  )
}

const useVersion = ({ name, locale }: TemplateSummary, version: number) =>
  useQuery({
    queryKey: ['templates', name, locale, version],
    queryFn: () => fetchVersion({ name, locale }, version),
    staleTime: Number.POSITIVE_INFINITY,
  })

const PARTS = ['subject', 'html', 'text'] as const

function Parts({ before, after }: Readonly<{ before: Template; after: Template }>) {
  const changed = PARTS.filter((part) => (before[part] ?? '') !== (after[part] ?? ''))
  if (changed.length === 0) return <p className="note">{T.none}</p>
  return changed.map((part) => (
    <section key={part} className="changes-part">
      <h3>{TEMPLATES_TEXTS.fields[part]}</h3>
      <Lines lines={changedLines(before[part] ?? '', after[part] ?? '')} />
    </section>
  ))
}

const SIGNS = { same: '', removed: '−', added: '+' } as const

const Lines = ({ lines }: Readonly<{ lines: readonly ChangedLine[] }>) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
  <section className="changes" aria-label={T.lines} tabIndex={0}>
    <table>
      <tbody>
        {lines.map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line is known by its place
          <Line key={index} line={line} />
        ))}
      </tbody>
    </table>
  </section>
)

function Line({ line }: Readonly<{ line: ChangedLine }>) {
  if (line.kind === 'gap')
    return (
      <tr className="gap">
        <td colSpan={4}>{T.unchanged(line.lines)}</td>
      </tr>
    )
  return (
    <tr className={line.kind}>
      <td className="changes-number">{line.kind === 'added' ? '' : line.before}</td>
      <td className="changes-number">{line.kind === 'removed' ? '' : line.after}</td>
      <td className="changes-sign">
        {line.kind !== 'same' && <span className="visually-hidden">{T.kinds[line.kind]}</span>}
        <span aria-hidden="true">{SIGNS[line.kind]}</span>
      </td>
      <td className="changes-text">{line.text}</td>
    </tr>
  )
}
