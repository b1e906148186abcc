/** Imports a pasted list, validated before anything is added. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, detailsOf, unwrap } from '../../api/client.ts'
import { SUPPRESSIONS_TEXTS } from '../../texts/suppressions.ts'
import { FileField } from '../../ui/file-field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Badge, Button, Field } from '../../ui/parts.tsx'
import { showToast } from '../../ui/toast.tsx'
import { type Entry, MOST_LINES, type Pasted, parseList, type WrongLine, withoutLines } from './pasted-list.ts'
import { toExpiry } from './suppression.ts'
import { NO_TERMS, type Terms, TermsFields } from './terms.tsx'

const T = SUPPRESSIONS_TEXTS

export function ImportSuppressions({ onClose }: Readonly<{ onClose: () => void }>) {
  const [text, setText] = useState('')
  const [terms, setTerms] = useState(NO_TERMS)
  const add = useImport(onClose)
  const pasted = parseList(text)
  const wrong = [...pasted.wrong, ...refusedLines(add.error, add.variables ?? [])]
  const canAdd = pasted.entries.length > 0 && pasted.entries.length <= MOST_LINES && wrong.length === 0
  const change = (next: string): void => {
    setText(next)
    add.reset()
  }
  return (
    <FormDialog
      title={T.importTitle}
      action={T.importAction(pasted.entries.length)}
      error={wrong.length > 0 ? undefined : add.error}
      busy={add.isPending || !canAdd}
      onSubmit={() => add.mutate(pasted.entries.map((entry) => toItem(entry, terms)))}
      onClose={onClose}
    >
      <p className="soft">{T.importAbout}</p>
      <Field label={T.list}>
        <textarea
          className="import-list"
          rows={8}
          value={text}
          spellCheck={false}
          onChange={(event) => change(event.target.value)}
        />
      </Field>
      <FileField
        label={T.file}
        files={[]}
        accept={['.txt', '.csv', 'text/plain', 'text/csv']}
        onChange={([file]) => void file?.text().then(change)}
      />
      <ImportSummary pasted={pasted} wrong={wrong} onDrop={() => change(withoutLines(text, wrong))} />
      <TermsFields terms={terms} noteLabel={T.noteOfAll} error={undefined} onChange={setTerms} />
    </FormDialog>
  )
}

type Item = Readonly<{ line: number; address: string; reason: Terms['reason']; note?: string; expires_at?: string }>

function toItem({ line, address, note }: Entry, terms: Terms): Item {
  const words = note === '' ? terms.note.trim() : note
  return { line, address, reason: terms.reason, ...(words === '' ? {} : { note: words }), ...toExpiry(terms.until) }
}

function useImport(onClose: () => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (items: readonly Item[]) =>
      unwrap(api.POST('/v1/suppressions', { body: { items: items.map(({ line: _, ...item }) => item) } })),
    onSuccess: async ({ added }) => {
      onClose()
      showToast(T.imported(added))
      await queries.invalidateQueries({ queryKey: ['suppressions'] })
    },
  })
}

/** The addresses that the API rejected, by line. */
function refusedLines(error: unknown, items: readonly Item[]): readonly WrongLine[] {
  return detailsOf(error).flatMap(({ path, message }) => {
    const item = items[Number(/^\/items\/(\d+)/.exec(path)?.[1])]
    return item === undefined ? [] : [{ line: item.line, text: item.address, problem: message }]
  })
}

const SHOWN = 20
const LONGEST_SHOWN = 80
type SummaryProps = Readonly<{ pasted: Pasted; wrong: readonly WrongLine[]; onDrop: () => void }>

const ImportSummary = ({ pasted: { entries, duplicates }, wrong, onDrop }: SummaryProps) => (
  <div className="stack import-summary" aria-live="polite">
    <p className="row">
      <Badge tone={entries.length > 0 ? 'good' : 'quiet'}>{T.good(entries.length)}</Badge>
      {wrong.length > 0 && <Badge tone="bad">{T.wrong(wrong.length)}</Badge>}
      {duplicates > 0 && <Badge tone="quiet">{T.duplicates(duplicates)}</Badge>}
      {wrong.length > 0 && <Button onClick={onDrop}>{T.dropWrong}</Button>}
    </p>
    {entries.length > MOST_LINES && <p className="note bad">{T.tooMany(entries.length)}</p>}
    {wrong.length > 0 && (
      <ul className="wrong-lines">
        {wrong.slice(0, SHOWN).map(({ line, text, problem }) => (
          <li key={line}>
            <span className="soft nums">{T.line(line)}</span> <code>{cut(text)}</code> {problem}
          </li>
        ))}
        {wrong.length > SHOWN && <li className="soft">{T.moreWrong(wrong.length - SHOWN)}</li>}
      </ul>
    )}
  </div>
)

const cut = (text: string): string => (text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text)
