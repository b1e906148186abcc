/** A file being sent: its progress, and the results. */
import { Download } from 'lucide-react'
import { useEffect } from 'react'
import { Link } from 'wouter'
import { BULK_TEXTS } from '../../texts/bulk.ts'
import { Button, Card } from '../../ui/parts.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { messagesOf } from './batch-id.ts'
import { LeaveGuard } from './leave-guard.tsx'
import { toResults } from './results.ts'
import { cancelRun, clearRun, pauseRun, type RunState, restOf, resumeRun, sendRest } from './store.ts'

const T = BULK_TEXTS.run

export function RunView({ run }: Readonly<{ run: RunState }>) {
  const { kind, fileName, outcomes, waitSeconds } = run
  const isOpen = kind === 'running' || kind === 'paused'
  const hasUnconfirmed = [...outcomes.values()].some((one) => one.kind === 'unconfirmed')
  const list = messagesOf(run.batchId)
  // Whoever leaves by the back button pauses it, too.
  useEffect(() => pauseRun, [])
  return (
    <div className="stack bulk">
      <Card title={`${T.title[kind]}: ${fileName}`}>
        <div className="stack">
          <Progress run={run} />
          {kind === 'running' && waitSeconds > 0 && (
            <p className="note" role="status">
              {T.waits(waitSeconds)}
            </p>
          )}
          {!isOpen && hasUnconfirmed && <p className="note warn">{T.unsure}</p>}
          <div className="row">
            {kind === 'running' && <Button onClick={pauseRun}>{T.pause}</Button>}
            {kind === 'paused' && (
              <Button kind="primary" onClick={resumeRun}>
                {T.resume}
              </Button>
            )}
            {isOpen && <Button onClick={cancelRun}>{T.cancel}</Button>}
            {!isOpen && restOf(run).length > 0 && (
              <Button kind="primary" onClick={sendRest}>
                {T.again}
              </Button>
            )}
            <Button disabled={kind === 'running'} onClick={() => save(run)}>
              <Download aria-hidden="true" />
              {T.results}
            </Button>
            {list !== undefined && (
              <Link href={list} className="button">
                {T.messages}
              </Link>
            )}
            {!isOpen && <Button onClick={clearRun}>{T.another}</Button>}
          </div>
        </div>
      </Card>
      {kind === 'running' && <LeaveGuard onLeave={pauseRun} />}
    </div>
  )
}

const save = (run: RunState): void => {
  const name = run.fileName.replace(/\.[^.]*$/, '')
  // With a byte order mark, so that spreadsheets read it as UTF-8.
  saveFile(new Blob([`\ufeff${toResults(run)}`], { type: 'text/csv;charset=utf-8' }), `${name}-${T.resultsName}.csv`)
}

function Progress({ run: { items, outcomes } }: Readonly<{ run: RunState }>) {
  const kinds = [...outcomes.values()].map(({ kind }) => kind)
  const accepted = kinds.filter((kind) => kind === 'accepted').length
  const refused = kinds.filter((kind) => kind === 'refused').length
  const left = items.length - accepted - refused
  const share = (count: number) => ({ width: `${(100 * count) / items.length}%` })
  return (
    <>
      <div
        className="bulk-bar"
        role="progressbar"
        aria-label={T.progress}
        aria-valuemin={0}
        aria-valuemax={items.length}
        aria-valuenow={items.length - left}
      >
        <div className="good" style={share(accepted)} />
        <div className="bad" style={share(refused)} />
      </div>
      <dl className="bulk-progress">
        <Figure name={T.accepted} count={accepted} tone="good" />
        <Figure name={T.refused} count={refused} tone={refused === 0 ? '' : 'bad'} />
        <Figure name={T.left} count={left} tone="" />
      </dl>
    </>
  )
}

const Figure = ({ name, count, tone }: Readonly<{ name: string; count: number; tone: string }>) => (
  <div className={tone}>
    <dt>{name}</dt>
    <dd className="nums">{count.toLocaleString()}</dd>
  </div>
)
