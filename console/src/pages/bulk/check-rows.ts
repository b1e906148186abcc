/** Checks all rows of a file in pieces, so that the page stays responsive. */
import { useEffect, useState } from 'react'
import type { ReadFile } from './read-file.ts'
import { type Plan, type Row, RowReader } from './rows.ts'

const AT_ONCE = 500

export type Checked = Readonly<{
  rows: readonly Row[]
  ready: readonly Row[]
  bad: readonly Row[]
  duplicates: readonly Row[]
}>

/** Undefined while the rows are being checked, or while there is nothing to check. */
export function useChecked(file: ReadFile | undefined, plan: Plan | undefined): Checked | undefined {
  const [checked, setChecked] = useState<Checked>()
  useEffect(() => {
    setChecked(undefined)
    if (file === undefined || plan === undefined) return
    const aborter = new AbortController()
    void checkRows(file, plan, aborter.signal).then((rows) => rows !== undefined && setChecked(toChecked(rows)))
    return () => aborter.abort()
  }, [file, plan])
  return checked
}

async function checkRows(file: ReadFile, plan: Plan, signal: AbortSignal): Promise<readonly Row[] | undefined> {
  const reader = new RowReader(plan)
  const rows: Row[] = []
  for (const record of file.records) {
    rows.push(reader.read(record))
    if (rows.length % AT_ONCE !== 0) continue
    await new Promise((resolve) => setTimeout(resolve))
    if (signal.aborted) return undefined
  }
  return signal.aborted ? undefined : rows
}

const toChecked = (rows: readonly Row[]): Checked => ({
  rows,
  ready: rows.filter(({ item }) => item !== undefined),
  bad: rows.filter(({ item }) => item === undefined),
  duplicates: rows.filter(({ duplicateOf }) => duplicateOf !== undefined),
})
