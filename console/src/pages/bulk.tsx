/** Sends one message for each row of a CSV file. */
import { BULK_TEXTS } from '../texts/bulk.ts'
import { PAGES_TEXTS } from '../texts/pages.ts'
import { PageHead } from '../ui/parts.tsx'
import { Prepare } from './bulk/prepare.tsx'
import { RunView } from './bulk/run-view.tsx'
import { useRun } from './bulk/store.ts'
import '../styles/bulk.css'

export function Bulk() {
  const run = useRun()
  return (
    <>
      <PageHead title={PAGES_TEXTS.bulk} about={BULK_TEXTS.about} />
      {run === undefined ? <Prepare /> : <RunView run={run} />}
    </>
  )
}
