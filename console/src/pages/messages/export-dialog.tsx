/** The export as CSV: it starts at once, shows its progress and can be canceled. */
import { useEffect, useState } from 'react'
import { api, unwrap } from '../../api/client.ts'
import { COMMON_TEXTS } from '../../texts/common.ts'
import { MESSAGES_TEXTS } from '../../texts/messages.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Button, Failure } from '../../ui/parts.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { EXPORT_LIMIT, type FetchPage, fetchAll, toCsv } from './export.ts'
import { type Filters, toQuery } from './filters.ts'

const T = MESSAGES_TEXTS.export

type Run = Readonly<
  | { kind: 'running'; count: number }
  | { kind: 'done'; count: number; isComplete: boolean }
  | { kind: 'failed'; error: unknown }
>

type ExportProps = Readonly<{ filters: Filters; onClose: () => void }>

export function ExportDialog({ filters, onClose }: ExportProps) {
  const run = useExport(filters)
  return (
    <Dialog title={T.title} onClose={onClose}>
      {run.kind === 'running' && <Running count={run.count} />}
      {run.kind === 'done' && (
        <p role="status">
          {T.done(run.count)} {!run.isComplete && T.cut(EXPORT_LIMIT)}
        </p>
      )}
      {run.kind === 'failed' && <Failure error={run.error} />}
      <p className="soft messages-export-about">{T.about}</p>
      <div className="dialog-foot">
        <Button onClick={onClose}>{run.kind === 'running' ? COMMON_TEXTS.cancel : COMMON_TEXTS.close}</Button>
      </div>
    </Dialog>
  )
}

const Running = ({ count }: Readonly<{ count: number }>) => (
  <>
    <p className="nums" role="status">
      {T.running(count)}
    </p>
    <progress className="messages-export-progress" aria-label={T.title} max={EXPORT_LIMIT} value={count} />
  </>
)

/** Closing the dialog cancels it. */
function useExport(filters: Filters): Run {
  const [run, setRun] = useState<Run>({ kind: 'running', count: 0 })
  const [chosen] = useState(filters)
  useEffect(() => {
    const cancel = new AbortController()
    const { signal } = cancel
    const progress = (count: number): void => setRun({ kind: 'running', count })
    fetchAll(fetchMatching(chosen, signal), progress, signal).then(
      ({ rows, isComplete }) => {
        if (signal.aborted) return
        saveFile(new Blob([toCsv(rows)], { type: 'text/csv;charset=utf-8' }), fileNameOf(new Date()))
        setRun({ kind: 'done', count: rows.length, isComplete })
      },
      (error: unknown) => {
        if (!signal.aborted) setRun({ kind: 'failed', error })
      },
    )
    return () => cancel.abort()
  }, [chosen])
  return run
}

const fileNameOf = (now: Date): string => `messages-${now.toISOString().slice(0, 19).replaceAll(':', '')}Z.csv`

const fetchMatching =
  (filters: Filters, signal: AbortSignal): FetchPage =>
  (cursor, limit) => {
    const query = { ...toQuery(filters), limit, ...(cursor === undefined ? {} : { cursor }) }
    return unwrap(api.GET('/v1/messages', { params: { query }, signal }))
  }
