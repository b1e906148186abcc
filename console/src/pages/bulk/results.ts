/** What became of every row of a file. */
import { BULK_TEXTS } from '../../texts/bulk.ts'
import { toCsvLine } from './csv.ts'
import type { Row } from './rows.ts'
import type { Outcome } from './run.ts'

const T = BULK_TEXTS.run.statuses

export const RESULT_HEADER = ['line', 'id', 'status', 'error_code', 'error_detail']

type Results = Readonly<{ rows: readonly Row[]; outcomes: ReadonlyMap<number, Outcome> }>

/** A CSV file with one line for each row of the file, in its order. */
export const toResults = ({ rows, outcomes }: Results): string =>
  [RESULT_HEADER, ...rows.map((row) => toCells(row, outcomes.get(row.line)))].map(toCsvLine).join('')

function toCells({ line, item, problems }: Row, outcome: Outcome | undefined): readonly string[] {
  const at = String(line)
  if (item === undefined) return [at, '', T.invalid, 'INVALID_ROW', problems.join(' ')]
  if (outcome === undefined) return [at, '', T.unsent, '', '']
  switch (outcome.kind) {
    case 'accepted':
      return [at, outcome.id, T.accepted, '', '']
    case 'refused':
      return [at, '', T.refused, outcome.code, outcome.detail]
    case 'unconfirmed':
      return [at, '', T.unconfirmed, '', outcome.detail]
  }
}
